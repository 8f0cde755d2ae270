// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_topk/indexer_topk_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/indexer_topk/indexer_topk_math.h"
#include "kernels/indexer_topk/indexer_topk_reference.h"
#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Calls = std::vector<std::vector<BatchRow>>;
using Positions = std::vector<std::int32_t>;

struct Sizes {
  std::int32_t tokens;
  std::int64_t heads;
  std::int64_t head_dim;
  std::int64_t top_k;
  DType cache;
};

struct Problem {
  explicit Problem(const Sizes& given)
      : sizes(given),
        q(DType::kF32, std::int64_t{2} * given.tokens, given.heads * given.head_dim),
        head_weights(DType::kF32, std::int64_t{2} * given.tokens, given.heads),
        cache(given.cache, given.head_dim, TestBatch(2, given.tokens)) {
    BatchNumbers numbers(51);
    q.Fill(numbers);
    head_weights.Fill(numbers);
    cache.Fill(numbers);
  }
  // Whole numbers in [-2, 2]: with heads and head_dim powers of 4 every score is exact, and many
  // are equal.
  void MakeWhole() {
    const TestBatch batch(2, sizes.tokens);
    for (std::int64_t row = 0; row < std::int64_t{2} * sizes.tokens; ++row) {
      for (std::int64_t i = 0; i < sizes.heads * sizes.head_dim; ++i) {
        q.Set(row, i, std::round(2 * q.At(row, i)));
      }
      for (std::int64_t i = 0; i < sizes.heads; ++i) {
        head_weights.Set(row, i, std::round(2 * head_weights.At(row, i)));
      }
    }
    for (std::int64_t slot = 0; slot < batch.page_count() * kTestPageTokens; ++slot) {
      for (std::int64_t i = 0; i < sizes.head_dim; ++i) {
        cache.Set(slot, i, std::round(2 * cache.At(slot, i)));
      }
    }
  }
  Sizes sizes;
  TestRows q;
  TestRows head_weights;
  TestCache cache;
};

struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows, std::int64_t rows_in_flight = 1)
      : batch(2, p.sizes.tokens),
        q(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.head_dim, 3),
        head_weights(DType::kF32, std::ssize(rows), p.sizes.heads, 1),
        selected(std::ssize(rows) * p.sizes.top_k, 77),
        scratch(IndexerTopkScratchBytes(rows_in_flight, p.sizes.top_k) / sizeof(double)) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence < 0) continue;
      CopyRow(p.q.view(), sequence * p.sizes.tokens + position, q.view(), i);
      CopyRow(p.head_weights.view(), sequence * p.sizes.tokens + position, head_weights.view(), i);
    }
    args.tables = batch.tables();
    args.heads = p.sizes.heads;
    args.head_dim = p.sizes.head_dim;
    args.q = q.view();
    args.head_weights = head_weights.view();
    args.cache = p.cache.view();
    args.selection = {selected.data(), p.sizes.top_k};
    args.scratch = scratch.data();
    args.scratch_bytes = static_cast<std::int64_t>(scratch.size() * sizeof(double));
    EXPECT_TRUE(CheckIndexerTopkArgs(args).ok());
  }
  [[nodiscard]] Positions Row(std::int64_t row) const {
    const auto begin = selected.begin() + row * args.selection.top_k;
    return {begin, begin + args.selection.top_k};
  }
  TestBatch batch;
  TestRows q;
  TestRows head_weights;
  Positions selected;
  std::vector<double> scratch;
  IndexerTopkArgs args;
};

// The selections of sequence 0, by position.
std::vector<Positions> Selections(Problem& p, Isa isa, int threads, const Calls& calls,
                                  std::int64_t rows_in_flight = 1) {
  std::vector<Positions> selections;
  for (const std::vector<BatchRow>& rows : calls) {
    Call call(p, rows, rows_in_flight);
    RunIsa(IndexerTopkCpu, isa, threads, call.args);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first == 0) selections.push_back(call.Row(i));
      if (rows[i].first < 0) {
        EXPECT_EQ(call.Row(i), Positions(p.sizes.top_k, 77));
      }
    }
  }
  return selections;
}

// Two blocks and a bit: long rows one by one, as decode has them.
const Sizes kExact = {2100, 4, 16, 100, DType::kBF16};

using IndexerTopkCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, IndexerTopkCpuOn, EachIsa(), IsaTestName);

TEST_P(IndexerTopkCpuOn, ExactScoresAndTiesSelectWhatTheReferenceDoes) {
  for (const std::int64_t top_k : {1L, 100L, 1024L, 1500L}) {
    Sizes sizes = kExact;
    sizes.top_k = top_k;
    Problem p(sizes);
    p.MakeWhole();
    const std::vector<BatchRow> rows = {{0, 2099}, {1, 1024}, {-1, 0}, {0, 1023}, {1, 2047},
                                        {0, 99},   {0, 100},  {0, 0},  {1, 1500}, {1, 1499}};
    Call expected(p, rows);
    IndexerTopkReference(expected.args);
    for (const int in_flight : {1, 3, 10}) {
      Call call(p, rows, in_flight);
      EXPECT_EQ(IndexerTopkCpuFallbackReason(call.args), "");
      RunIsa(IndexerTopkCpu, isa(), 2, call.args);
      EXPECT_EQ(call.selected, expected.selected) << top_k << " " << IsaName(isa());
    }
  }
}

// I[t] in double and how far a float may be from it: head_dim / 8 + 12 errors of a head's products
// and heads + 4 of their sum.
struct Score {
  double value = 0;
  double error = 0;
};
std::vector<Score> ScoresOf(Problem& p, std::int32_t position) {
  const TestBatch batch(2, p.sizes.tokens);
  std::vector<Score> scores(position + 1);
  const double dim_scale = 1 / std::sqrt(static_cast<double>(p.sizes.head_dim));
  const double head_scale = 1 / std::sqrt(static_cast<double>(p.sizes.heads));
  for (std::int64_t t = 0; t <= position; ++t) {
    for (std::int64_t head = 0; head < p.sizes.heads; ++head) {
      double dot = 0;
      double size = 0;
      for (std::int64_t i = 0; i < p.sizes.head_dim; ++i) {
        const double product =
            p.q.At(position, head * p.sizes.head_dim + i) * p.cache.At(batch.Slot(0, t), i);
        dot += product * dim_scale;
        size += std::abs(product) * dim_scale;
      }
      const double weight = p.head_weights.At(position, head) * head_scale;
      scores[t].value += weight * std::max(dot, 0.0);
      scores[t].error += std::abs(weight) * size;
    }
    const std::int64_t roundings = p.sizes.head_dim / 8 + 12 + p.sizes.heads + 4;
    const auto errors = static_cast<double>(roundings);
    scores[t].error *= errors * kF32Error;
  }
  return scores;
}

class IndexerTopkCpuSizes : public IsaSizesTest<Sizes> {};

TEST_P(IndexerTopkCpuSizes, NothingLeftOutBeatsWhatIsSelectedByMoreThanRounding) {
  Problem p(given());
  const std::int32_t position = p.sizes.tokens - 1;
  const std::vector<Score> scores = ScoresOf(p, position);
  Call call(p, {{0, position}});
  RunIsa(IndexerTopkCpu, isa(), 2, call.args);
  std::vector<bool> selected(scores.size());
  double worst = std::numeric_limits<double>::infinity();
  for (const std::int32_t t : call.selected) {
    ASSERT_TRUE(t >= 0 && t <= position && !selected[t]);
    selected[t] = true;
    worst = std::min(worst, scores[t].value + scores[t].error);
  }
  EXPECT_TRUE(std::is_sorted(call.selected.begin(), call.selected.end()));
  for (std::size_t t = 0; t < scores.size(); ++t) {
    if (selected[t]) continue;
    EXPECT_LE(scores[t].value - scores[t].error, worst) << t;
  }
}

TEST_P(IndexerTopkCpuSizes, SelectionsDoNotDependOnChunksNeighboursThreadsOrScratch) {
  Problem p(given());
  const std::int32_t tokens = std::min(p.sizes.tokens, 150);
  const std::vector<Positions> whole = Selections(p, isa(), 1, Chunks(tokens, tokens));
  EXPECT_EQ(Selections(p, isa(), 2, Chunks(tokens, 3), 2), whole);
  EXPECT_EQ(Selections(p, isa(), 1, Chunks(tokens, 1)), whole);
  EXPECT_EQ(Selections(p, isa(), 3, Crowd(tokens), 7), whole);
}

INSTANTIATE_TEST_SUITE_P(All, IndexerTopkCpuSizes,
                         testing::Combine(EachIsa(),
                                          testing::Values(Sizes{150, 5, 20, 40, DType::kF32},
                                                          Sizes{150, 5, 20, 40, DType::kBF16},
                                                          Sizes{1300, 4, 9, 64, DType::kBF16},
                                                          Sizes{151, 1, 32, 7, DType::kF32})),
                         IsaSizesTestName<Sizes>);

TEST_P(IndexerTopkCpuOn, NanScoresComeLast) {
  Problem p({6, 4, 4, 3, DType::kF32});
  p.MakeWhole();
  const TestBatch batch(2, 6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t t : {0, 2, 3, 5}) p.cache.Set(batch.Slot(0, t), 1, nan);
  Call expected(p, {{0, 5}});
  IndexerTopkReference(expected.args);
  Call call(p, {{0, 5}});
  RunIsa(IndexerTopkCpu, isa(), 1, call.args);
  EXPECT_EQ(call.selected, expected.selected);
}

TEST(IndexerTopkCpu, OtherTypesRunOnTheReference) {
  Problem p({6, 4, 4, 3, DType::kF32});
  Call call(p, {{0, 5}});
  TestRows q(DType::kBF16, 1, 16);
  BatchNumbers numbers(2);
  q.Fill(numbers);
  call.args.q = q.view();
  EXPECT_EQ(IndexerTopkCpuFallbackReason(call.args), "activations are BF16, not F32");
  RunIsa(IndexerTopkCpu, Isa::kBaseline, 1, call.args);
  const Positions actual = call.selected;
  IndexerTopkReference(call.args);
  EXPECT_EQ(call.selected, actual);
}

}  // namespace
}  // namespace glint::kernels
