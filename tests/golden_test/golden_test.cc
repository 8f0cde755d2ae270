// SPDX-License-Identifier: Apache-2.0
// The forward pass against transformers, and against itself: whatever way a prompt is cut, batched
// or threaded, the bits are the same. Numbers in test names: glm-architecture.md section 7.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/json.h"
#include "tensor/read_text_file.h"
#include "tests/golden_test/golden_case.h"

namespace glint {
namespace {

std::span<const float> Row(std::span<const float> logits, std::int64_t row, std::int64_t width) {
  return logits.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
}

std::int32_t ArgMax(std::span<const float> row) {
  return static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

class Golden : public GoldenTest {
 protected:
  [[nodiscard]] static GoldenCase Case(GoldenOptions options = {}) {
    options.operations = &GetParam().operations();
    return GoldenCase(GetParam().model, options);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, Golden, testing::ValuesIn(ModelsOnTables(true)), ModelOnTableName);

TEST_P(Golden, F32LogitsAreThoseOfTransformers) {
  GoldenCase golden = Case();
  const auto forward = golden.MakeForward();
  const std::vector<float> logits = golden.Logits(*forward, golden.ids(), 48);
  EXPECT_LT(RelativeError(logits, golden.Golden("logits.npy")), 1e-5);
}

TEST_P(Golden, GreedyTokensAreThoseOfTransformers) {
  GoldenCase golden = Case();
  const auto forward = golden.MakeForward();
  const std::int64_t vocab = golden.model().vocab_size;
  const Json greedy =
      ParseJson(tensor::ReadTextFile(golden.folder() / "greedy.json", 100'000).value(), "greedy")
          .value();
  std::vector<float> logits = golden.Logits(*forward, golden.ids(), 48);
  std::int32_t token = ArgMax(Row(logits, 47, vocab));
  std::int64_t position = 48;
  for (const Json& expected : *greedy.Find("tokens")->array()) {
    ASSERT_EQ(token, *expected.AsInt()) << "position " << position;
    const std::vector<std::int32_t> one = {token};
    const auto result = forward->Run({.sequences = {golden.Sequence(0, position++, one, 1)}});
    token = ArgMax(result.value().logits);
  }
}

// Items 4 and 5: chunks of any size give the bits of one chunk, so a later token cannot have
// changed an earlier one's logits.
TEST_P(Golden, ChunksGiveTheBitsOfOnePass) {
  GoldenCase golden = Case();
  const std::vector<float> whole = golden.Logits(*golden.MakeForward(), golden.ids(), 48);
  for (const std::int64_t chunk : {1, 3, 7}) {
    EXPECT_EQ(golden.Logits(*golden.MakeForward(), golden.ids(), chunk), whole) << chunk;
  }
}

TEST_P(Golden, ABatchOfFiveGivesTheBitsOfEachAlone) {
  GoldenCase golden = Case();
  const std::span<const std::int32_t> ids = golden.ids();
  // Five sequences at different places: prompts of other lengths, some in the middle of decoding.
  const std::int64_t starts[] = {0, 5, 20, 33, 40};
  const std::int64_t rows[] = {9, 1, 12, 1, 3};
  const auto together = golden.MakeForward();
  model::Batch batch;
  std::vector<float> alone;
  for (std::int64_t s = 0; s < 5; ++s) {
    const auto history = ids.subspan(0, static_cast<std::size_t>(starts[s]));
    const auto part =
        ids.subspan(static_cast<std::size_t>(starts[s]), static_cast<std::size_t>(rows[s]));
    const auto single = golden.MakeForward();
    if (!history.empty()) {
      (void)golden.Logits(*together, history, 48, s);
      (void)golden.Logits(*single, history, 48, 0);
    }
    const auto result =
        single->Run({.sequences = {golden.Sequence(0, starts[s], part, rows[s])}}).value();
    alone.insert(alone.end(), result.logits.begin(), result.logits.end());
    batch.sequences.push_back(golden.Sequence(s, starts[s], part, rows[s]));
  }
  const auto result = together->Run(batch).value();
  EXPECT_EQ(std::vector<float>(result.logits.begin(), result.logits.end()), alone);
}

TEST_P(Golden, TheNumberOfThreadsDoesNotChangeABit) {
  GoldenCase one = Case({.threads = 1});
  GoldenCase three = Case({.threads = 3});
  EXPECT_EQ(one.Logits(*one.MakeForward(), one.ids(), 48),
            three.Logits(*three.MakeForward(), three.ids(), 48));
}

// Item 5, causality: another last token leaves all earlier logits as they were.
TEST_P(Golden, ALaterTokenNeverChangesAnEarlierRow) {
  GoldenCase golden = Case();
  std::vector<std::int32_t> changed = golden.ids();
  changed[40] = (changed[40] + 1) % static_cast<std::int32_t>(golden.model().vocab_size);
  const std::vector<float> a = golden.Logits(*golden.MakeForward(), golden.ids(), 48);
  const std::vector<float> b = golden.Logits(*golden.MakeForward(), changed, 48);
  const auto before = static_cast<std::ptrdiff_t>(40 * golden.model().vocab_size);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + before, b.begin()));
  EXPECT_FALSE(std::equal(a.begin() + before, a.end(), b.begin() + before));
}

// The MTP layer against the double-precision reference of tools/golden: row t takes the trunk's
// hidden state at t and the token at t + 1.
TEST_P(Golden, MtpLogitsAreThoseOfTheReference) {
  GoldenCase golden = Case();
  if (golden.model().mtp_layers.empty()) GTEST_SKIP() << GetParam().model << " has no MTP layer";
  const auto forward = golden.MakeForward();
  const std::span<const std::int32_t> ids = golden.ids();
  const auto trunk = forward->Run({.sequences = {golden.Sequence(0, 0, ids, 0)}}).value();
  const std::vector<float> hidden(trunk.hidden.begin(), trunk.hidden.end());
  EXPECT_LT(RelativeError(hidden, golden.Golden("hidden.npy")), 1e-5);
  const auto rows = std::span<const float>(hidden).first(
      static_cast<std::size_t>(47 * golden.model().hidden_size));
  const auto result =
      forward->RunMtp({.sequences = {golden.Sequence(0, 0, ids.subspan(1), 47)}}, rows).value();
  EXPECT_LT(RelativeError(result.logits, golden.Golden("mtp_logits.npy")), 1e-5);
}

// The weights are exact in BF16, so what BF16 changes is the rounding of the caches. A row is
// exempt where that rounding takes another expert or position; design.md allows under 5 % of such
// rows.
TEST_P(Golden, Bf16RowsAreWithinTwoPercentOfTheExactLogits) {
  GoldenCase golden = Case({.dtype = tensor::DType::kBF16});
  if (!std::filesystem::exists(golden.folder() / "logits_bf16.npy")) {
    GTEST_SKIP() << GetParam().model << " is stored in FP8, BF16 rounds its weights";
  }
  const std::vector<float> exact = golden.Golden("logits.npy");
  const std::vector<float> ours = golden.Logits(*golden.MakeForward(), golden.ids(), 48);
  const std::int64_t vocab = golden.model().vocab_size;
  int exempt = 0;
  for (std::int64_t row = 0; row < 48; ++row) {
    if (RelativeError(Row(ours, row, vocab), Row(exact, row, vocab)) > 2e-2) ++exempt;
  }
  std::printf("%s: %d of 48 rows exempt\n", GetParam().model.c_str(), exempt);
  EXPECT_LT(exempt, 0.05 * 48);
  if (!golden.model().moe) {
    EXPECT_EQ(exempt, 0) << "nothing to choose, nothing to flip";
  }
}

// Our BF16 keeps activations in F32, so it must be nearer to the exact logits than transformers'
// BF16 run is.
TEST_P(Golden, Bf16IsNearerToTheExactLogitsThanTransformersBf16) {
  GoldenCase golden = Case({.dtype = tensor::DType::kBF16});
  if (!std::filesystem::exists(golden.folder() / "logits_bf16.npy")) {
    GTEST_SKIP() << GetParam().model << " has no BF16 logits";
  }
  const std::vector<float> exact = golden.Golden("logits.npy");
  const double theirs = RelativeError(golden.Golden("logits_bf16.npy"), exact);
  const double ours = RelativeError(golden.Logits(*golden.MakeForward(), golden.ids(), 48), exact);
  EXPECT_LT(ours, theirs);
}

TEST(Forward, RefusesBatchesBeyondItsLimitsByName) {
  GoldenCase golden("glm");
  const auto forward = golden.MakeForward();
  const auto message = [&](model::BatchSequence sequence) {
    return forward->Run({.sequences = {std::move(sequence)}}).error().message;
  };
  const std::vector<std::int32_t> one = {1};
  const std::vector<std::int32_t> outside = {256};
  EXPECT_EQ(message(golden.Sequence(0, 0, outside, 1)),
            "sequence 0: token 256, must be an id below 256");
  EXPECT_EQ(message(golden.Sequence(0, 80, one, 1)),
            "sequence 0: positions 80 to 80, its 20 pages hold 80");
  EXPECT_EQ(message(golden.Sequence(0, 0, one, 2)), "sequence 0: logits of 2 rows, it has 1");
  EXPECT_EQ(message(golden.Sequence(0, 0, {}, 0)), "a batch of 0 rows, must be 1 to 256");
}

}  // namespace
}  // namespace glint
