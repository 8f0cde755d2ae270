// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_attention/mla_attention_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"
#include "kernels/mla_attention/mla_attention_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Calls = std::vector<std::vector<BatchRow>>;
using Rows = std::vector<std::vector<std::byte>>;

constexpr std::int32_t kTokens = 150;  // three blocks
constexpr std::int64_t kRows = 2 * std::int64_t{kTokens};

struct Sizes {
  std::int64_t heads;
  std::int64_t kv_lora;
  std::int64_t rope;
  DType cache;
};

// Two sequences of kTokens in shuffled pages, and a query for each of their tokens.
struct Problem {
  explicit Problem(const Sizes& given)
      : sizes(given),
        q_latent(DType::kF32, kRows, given.heads * given.kv_lora),
        q_rope(DType::kF32, kRows, given.heads * given.rope),
        cache(given.cache, given.kv_lora + given.rope, TestBatch(2, kTokens)) {
    BatchNumbers numbers(31);
    q_latent.Fill(numbers);
    q_rope.Fill(numbers);
    cache.Fill(numbers);
  }
  Sizes sizes;
  TestRows q_latent;
  TestRows q_rope;
  TestCache cache;
};

// The rows of one call with arguments of their own.
struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows)
      : q_latent(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.kv_lora, 3),
        q_rope(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.rope, 1),
        output(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.kv_lora, 5) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence < 0) continue;
      CopyRow(p.q_latent.view(), sequence * kTokens + position, q_latent.view(), i);
      CopyRow(p.q_rope.view(), sequence * kTokens + position, q_rope.view(), i);
    }
    args.tables = batch.tables();
    args.heads = p.sizes.heads;
    args.kv_lora = p.sizes.kv_lora;
    args.rope_width = p.sizes.rope;
    args.q_latent = q_latent.view();
    args.q_rope = q_rope.view();
    args.rope_head_stride = p.sizes.rope;
    args.cache = p.cache.view();
    args.scale = MlaSoftmaxScale(p.sizes.kv_lora, p.sizes.rope);
    args.output = output.view();
    EXPECT_TRUE(CheckMlaAttentionArgs(args).ok());
  }
  TestBatch batch{2, kTokens};
  TestRows q_latent;
  TestRows q_rope;
  TestRows output;
  MlaAttentionArgs args;
};

// Every position from 0 to the token itself, then `padding` entries of -1; holes between.
std::vector<std::int32_t> AllPositions(const std::vector<BatchRow>& rows, std::int32_t padding) {
  std::vector<std::int32_t> positions;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::int32_t t = 0; t < kTokens + padding; ++t) {
      if (t == 7) positions.push_back(-1);
      positions.push_back(t < kTokens ? t : -1);
    }
  }
  return positions;
}

enum class Form : std::uint8_t { kDense, kSelected, kInPlace };

// The outputs of sequence 0, by position.
Rows Outputs(Problem& p, Isa isa, int threads, const Calls& calls, Form form = Form::kDense) {
  Rows outputs;
  for (const std::vector<BatchRow>& rows : calls) {
    Call call(p, rows);
    std::vector<std::int32_t> positions = AllPositions(rows, 20);
    if (form == Form::kSelected) call.args.selection = {positions.data(), kTokens + 21};
    if (form == Form::kInPlace) call.args.output = call.q_latent.view();
    RunIsa(MlaAttentionCpu, isa, threads, call.args);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first == 0) outputs.push_back(RowBytes(call.args.output, i));
    }
    EXPECT_TRUE(call.output.PaddingIsUntouched());
  }
  return outputs;
}

// Keys, values and queries are below 1. A score of `width` products in eight lanes is off by
// (width / 8 + 8) errors of width * scale; its weight by twice that, the rounding of score minus
// largest and 4 of exp, and 4 for each block's rescaling; the sums over t add one each.
double Bound(const Sizes& sizes) {
  const auto width = static_cast<double>(sizes.kv_lora + sizes.rope);
  const double size = width / std::sqrt(width);
  const double score = (width / 8 + 8) * size;
  const double weight = 2 * (score + 2 * size + 4) + 3 * 4;
  return (weight + static_cast<double>(kRows) + 4) * kF32Error;
}

class MlaAttentionCpuSizes : public IsaSizesTest<Sizes> {};

TEST_P(MlaAttentionCpuSizes, IsWithinTheRoundingOfTheReference) {
  Problem p(given());
  Call call(p, Crowd(kTokens)[0]);
  MlaAttentionReference(call.args);
  TestRows actual(DType::kF32, call.args.tables.row_count, call.args.output.columns, 2);
  MlaAttentionArgs args = call.args;
  args.output = actual.view();
  EXPECT_EQ(MlaAttentionCpuFallbackReason(args), "");
  RunIsa(MlaAttentionCpu, isa(), 2, args);
  double worst = 0;
  for (std::int64_t row = 0; row < args.output.rows; ++row) {
    for (std::int64_t i = 0; i < args.output.columns; ++i) {
      worst = std::max(worst, std::abs(actual.At(row, i) - call.output.At(row, i)));
    }
  }
  EXPECT_LT(worst, Bound(p.sizes)) << IsaName(isa());
  EXPECT_TRUE(actual.PaddingIsUntouched());
}

TEST_P(MlaAttentionCpuSizes, BitsDoNotDependOnChunksNeighboursThreadsOrSelection) {
  Problem p(given());
  const Rows whole = Outputs(p, isa(), 1, Chunks(kTokens, kTokens));
  EXPECT_EQ(Outputs(p, isa(), 2, Chunks(kTokens, 3)), whole);
  EXPECT_EQ(Outputs(p, isa(), 1, Chunks(kTokens, 1)), whole);
  EXPECT_EQ(Outputs(p, isa(), 3, Crowd(kTokens)), whole);
  EXPECT_EQ(Outputs(p, isa(), 2, Crowd(kTokens), Form::kSelected), whole);
  EXPECT_EQ(Outputs(p, isa(), 1, Chunks(kTokens, 1), Form::kSelected), whole);
  EXPECT_EQ(Outputs(p, isa(), 2, Chunks(kTokens, 50), Form::kInPlace), whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, MlaAttentionCpuSizes,
    testing::Combine(EachIsa(),
                     testing::Values(Sizes{3, 40, 16, DType::kF32}, Sizes{3, 40, 16, DType::kBF16},
                                     Sizes{13, 20, 6, DType::kF32}, Sizes{9, 33, 2, DType::kBF16},
                                     Sizes{1, 5, 2, DType::kF32}, Sizes{8, 64, 8, DType::kBF16},
                                     Sizes{16, 64, 32, DType::kBF16},
                                     Sizes{20, 512, 64, DType::kBF16})),
    IsaSizesTestName<Sizes>);

using MlaAttentionCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, MlaAttentionCpuOn, EachIsa(), IsaTestName);

TEST_P(MlaAttentionCpuOn, SelectionMasksAndAnEmptyOneIsZero) {
  Problem p({2, 8, 8, DType::kF32});
  Call call(p, {{0, 100}});
  std::vector<std::int32_t> positions = {3, 50, 99, 120, -1};
  call.args.selection = {positions.data(), 5};
  MlaAttentionReference(call.args);
  TestRows actual(DType::kF32, 1, 16);
  call.args.output = actual.view();
  RunIsa(MlaAttentionCpu, isa(), 1, call.args);
  for (std::int64_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(actual.At(0, i), call.output.At(0, i), Bound(p.sizes));
  }
  positions = {-1, 101, -1, 120, -1};
  RunIsa(MlaAttentionCpu, isa(), 1, call.args);
  for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(actual.At(0, i), 0);
}

TEST_P(MlaAttentionCpuOn, LargeScoresDoNotOverflow) {
  Problem p({1, 1, 2, DType::kF32});
  const TestBatch batch(2, kTokens);
  for (std::int64_t t = 0; t < kTokens; ++t) {
    p.cache.SetToken(batch.Slot(0, t), {static_cast<double>(t), t == 70 ? 3e4 : -3e4, 0});
  }
  p.q_latent.Set(kTokens - 1, 0, 0);
  p.q_rope.SetRow(kTokens - 1, {1, 0});
  Call call(p, {{0, kTokens - 1}});
  RunIsa(MlaAttentionCpu, isa(), 1, call.args);
  EXPECT_EQ(call.output.At(0, 0), 70);
}

TEST(MlaAttentionCpu, OtherTypesAndWideKeysRunOnTheReference) {
  Problem p({1, 4, 2, DType::kF32});
  Call call(p, {{0, 9}});
  MlaAttentionArgs args = call.args;
  args.kv_lora = 1023;
  EXPECT_EQ(MlaAttentionCpuFallbackReason(args), "a key is 1025 wide, more than 1024");
  args = call.args;
  TestRows output(DType::kBF16, 1, 4);
  args.output = output.view();
  EXPECT_EQ(MlaAttentionCpuFallbackReason(args), "activations are BF16, not F32");
  RunIsa(MlaAttentionCpu, Isa::kBaseline, 1, args);
  MlaAttentionReference(call.args);
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(output.At(0, i), call.output.At(0, i), HalfStep(DType::kBF16, 1) * 1.01);
  }
}

}  // namespace
}  // namespace glint::kernels
