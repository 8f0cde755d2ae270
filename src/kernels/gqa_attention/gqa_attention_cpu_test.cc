// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_attention/gqa_attention_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/gqa_attention/gqa_attention_reference.h"
#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Calls = std::vector<std::vector<BatchRow>>;
using Rows = std::vector<std::vector<std::byte>>;

constexpr std::int32_t kTokens = 150;  // three blocks
constexpr std::int64_t kRows = 2 * std::int64_t{kTokens};

struct Sizes {
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t head_dim;
  DType cache;
};

struct Problem {
  explicit Problem(const Sizes& given)
      : sizes(given),
        q(DType::kF32, kRows, given.heads * given.head_dim),
        k_cache(given.cache, given.kv_heads * given.head_dim, TestBatch(2, kTokens)),
        v_cache(given.cache, given.kv_heads * given.head_dim, TestBatch(2, kTokens)) {
    BatchNumbers numbers(41);
    q.Fill(numbers);
    k_cache.Fill(numbers);
    v_cache.Fill(numbers);
  }
  Sizes sizes;
  TestRows q;
  TestCache k_cache;
  TestCache v_cache;
};

struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows)
      : q(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.head_dim, 3),
        output(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.head_dim, 5) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence >= 0) CopyRow(p.q.view(), sequence * kTokens + position, q.view(), i);
    }
    args.tables = batch.tables();
    args.heads = p.sizes.heads;
    args.kv_heads = p.sizes.kv_heads;
    args.head_dim = p.sizes.head_dim;
    args.q = q.view();
    args.k_cache = p.k_cache.view();
    args.v_cache = p.v_cache.view();
    args.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(p.sizes.head_dim)));
    args.output = output.view();
    EXPECT_TRUE(CheckGqaAttentionArgs(args).ok());
  }
  TestBatch batch{2, kTokens};
  TestRows q;
  TestRows output;
  GqaAttentionArgs args;
};

// The outputs of sequence 0, by position.
Rows Outputs(Problem& p, Isa isa, int threads, const Calls& calls, bool in_place = false) {
  Rows outputs;
  for (const std::vector<BatchRow>& rows : calls) {
    Call call(p, rows);
    if (in_place) call.args.output = call.q.view();
    RunIsa(GqaAttentionCpu, isa, threads, call.args);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first == 0) outputs.push_back(RowBytes(call.args.output, i));
    }
    EXPECT_TRUE(call.output.PaddingIsUntouched());
  }
  return outputs;
}

// That of mla_attention_cpu_test.cc, with keys of head_dim.
double Bound(const Sizes& sizes) {
  const auto width = static_cast<double>(sizes.head_dim);
  const double size = width / std::sqrt(width);
  const double score = (width / 8 + 8) * size;
  const double weight = 2 * (score + 2 * size + 4) + 3 * 4;
  return (weight + static_cast<double>(kRows) + 4) * kF32Error;
}

class GqaAttentionCpuSizes : public IsaSizesTest<Sizes> {};

TEST_P(GqaAttentionCpuSizes, IsWithinTheRoundingOfTheReference) {
  Problem p(given());
  Call call(p, Crowd(kTokens)[0]);
  GqaAttentionReference(call.args);
  TestRows actual(DType::kF32, call.args.tables.row_count, call.args.output.columns, 2);
  GqaAttentionArgs args = call.args;
  args.output = actual.view();
  EXPECT_EQ(GqaAttentionCpuFallbackReason(args), "");
  RunIsa(GqaAttentionCpu, isa(), 2, args);
  double worst = 0;
  for (std::int64_t row = 0; row < args.output.rows; ++row) {
    for (std::int64_t i = 0; i < args.output.columns; ++i) {
      worst = std::max(worst, std::abs(actual.At(row, i) - call.output.At(row, i)));
    }
  }
  EXPECT_LT(worst, Bound(p.sizes)) << IsaName(isa());
  EXPECT_TRUE(actual.PaddingIsUntouched());
}

TEST_P(GqaAttentionCpuSizes, BitsDoNotDependOnChunksNeighboursOrThreads) {
  Problem p(given());
  const Rows whole = Outputs(p, isa(), 1, Chunks(kTokens, kTokens));
  EXPECT_EQ(Outputs(p, isa(), 2, Chunks(kTokens, 3)), whole);
  EXPECT_EQ(Outputs(p, isa(), 1, Chunks(kTokens, 1)), whole);
  EXPECT_EQ(Outputs(p, isa(), 3, Crowd(kTokens)), whole);
  EXPECT_EQ(Outputs(p, isa(), 2, Chunks(kTokens, 50), true), whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, GqaAttentionCpuSizes,
    testing::Combine(EachIsa(),
                     testing::Values(Sizes{4, 2, 20, DType::kF32}, Sizes{4, 2, 20, DType::kBF16},
                                     Sizes{12, 1, 16, DType::kBF16}, Sizes{19, 1, 9, DType::kF32},
                                     Sizes{36, 2, 8, DType::kF32}, Sizes{3, 3, 33, DType::kBF16},
                                     Sizes{24, 2, 128, DType::kBF16},
                                     Sizes{3, 1, 64, DType::kBF16})),
    IsaSizesTestName<Sizes>);

TEST(GqaAttentionCpu, OtherTypesAndWideKeysRunOnTheReference) {
  Problem p({2, 1, 4, DType::kF32});
  Call call(p, {{0, 9}});
  GqaAttentionArgs args = call.args;
  args.head_dim = 513;
  EXPECT_EQ(GqaAttentionCpuFallbackReason(args), "a key is 513 wide, more than 512");
  args = call.args;
  args.q.dtype = DType::kBF16;
  EXPECT_EQ(GqaAttentionCpuFallbackReason(args), "activations are BF16, not F32");
  args = call.args;
  TestCache v_cache(DType::kBF16, 4, call.batch);
  BatchNumbers numbers(9);
  v_cache.Fill(numbers);
  args.v_cache = v_cache.view();
  EXPECT_EQ(GqaAttentionCpuFallbackReason(args), "keys are F32, values BF16");
  RunIsa(GqaAttentionCpu, Isa::kBaseline, 1, args);
  const std::vector<std::byte> actual = call.output.bytes();
  GqaAttentionReference(args);
  EXPECT_EQ(call.output.bytes(), actual);
}

}  // namespace
}  // namespace glint::kernels
