// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_cache/gqa_cache_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/gqa_cache/gqa_cache_reference.h"
#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"
#include "kernels/rope/rope.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Calls = std::vector<std::vector<BatchRow>>;

constexpr std::int32_t kTokens = 40;
constexpr std::int64_t kRows = 2 * std::int64_t{kTokens};

std::vector<float> Frequencies(std::int64_t rope) {
  std::vector<float> frequencies(static_cast<std::size_t>(rope / 2));
  FillInverseFrequency(1e4F, rope, frequencies.data());
  return frequencies;
}

struct Sizes {
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t head_dim;
  std::int64_t rope;
  bool norms;
  bool interleaved;
  DType cache;
  DType norm;
};

tensor::WeightView VectorView(TestRows& vector) {
  const Activation rows = vector.view();
  tensor::WeightView view;
  view.rows = rows.rows;
  view.columns = 1;
  view.data = {rows.dtype, {rows.rows, 1}, static_cast<const std::byte*>(rows.data)};
  return view;
}

struct Problem {
  explicit Problem(const Sizes& given)
      : sizes(given),
        frequencies(Frequencies(given.rope)),
        q_norm(given.norm, given.head_dim, 1),
        k_norm(given.norm, given.head_dim, 1),
        q(DType::kF32, kRows, given.heads * given.head_dim),
        k(DType::kF32, kRows, given.kv_heads * given.head_dim),
        v(DType::kF32, kRows, given.kv_heads * given.head_dim),
        k_cache(given.cache, given.kv_heads * given.head_dim, TestBatch(2, kTokens)),
        v_cache(given.cache, given.kv_heads * given.head_dim, TestBatch(2, kTokens)) {
    BatchNumbers numbers(91);
    for (TestRows* rows : {&q_norm, &k_norm, &q, &k, &v}) rows->Fill(numbers);
  }
  [[nodiscard]] std::int64_t NormWidth() const { return sizes.head_dim; }
  // The bytes of a token of sequence 0.
  void AddToken(std::int64_t t, std::vector<std::vector<std::byte>>& outputs) {
    const TestBatch batch(2, kTokens);
    const std::int64_t width = sizes.kv_heads * sizes.head_dim;
    const CacheView k_cache_view = k_cache.view();
    const Activation k_cache_rows = {k_cache_view.data, k_cache_view.dtype,
                                     batch.page_count() * kTestPageTokens, width, width};
    outputs.push_back(RowBytes(k_cache_rows, batch.Slot(0, t)));
    const CacheView v_cache_view = v_cache.view();
    const Activation v_cache_rows = {v_cache_view.data, v_cache_view.dtype,
                                     batch.page_count() * kTestPageTokens, width, width};
    outputs.push_back(RowBytes(v_cache_rows, batch.Slot(0, t)));
  }
  Sizes sizes;
  std::vector<float> frequencies;
  TestRows q_norm;
  TestRows k_norm;
  TestRows q;
  TestRows k;
  TestRows v;
  TestCache k_cache;
  TestCache v_cache;
};

struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows)
      : q(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.head_dim, 3),
        k(DType::kF32, std::ssize(rows), p.sizes.kv_heads * p.sizes.head_dim, 1),
        v(DType::kF32, std::ssize(rows), p.sizes.kv_heads * p.sizes.head_dim) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence < 0) continue;
      const std::int64_t from = sequence * kTokens + position;
      CopyRow(p.q.view(), from, q.view(), i);
      CopyRow(p.k.view(), from, k.view(), i);
      CopyRow(p.v.view(), from, v.view(), i);
    }
    args.tables = batch.tables();
    args.rope = {p.frequencies.data(), p.sizes.rope, p.sizes.interleaved};
    args.heads = p.sizes.heads;
    args.kv_heads = p.sizes.kv_heads;
    args.head_dim = p.sizes.head_dim;
    args.q = q.view();
    args.k = k.view();
    args.v = v.view();
    if (p.sizes.norms) args.q_norm = VectorView(p.q_norm);
    if (p.sizes.norms) args.k_norm = VectorView(p.k_norm);
    args.k_cache = p.k_cache.view();
    args.v_cache = p.v_cache.view();
    EXPECT_TRUE(CheckGqaCacheArgs(args).ok());
  }
  TestBatch batch{2, kTokens};
  TestRows q;
  TestRows k;
  TestRows v;
  GqaCacheArgs args;
};

// Inputs, weights and biases are below 1 and the factor of a norm below 4, so a value is below 8
// before its weight; sums in eight lanes make it wrong by width / 8 + 8 errors of that. A rotation
// takes two such values and adds 3 roundings of their sum. Both sides then round once.
double Bound(std::int64_t width, DType dtype, double value) {
  const double error = 2 * 8 * (static_cast<double>(width) / 8 + 8) + 3 * 16;
  return error * kF32Error + 2 * HalfStep(dtype, value) * (1 + 0x1p-7);
}

class GqaCacheCpuSizes : public IsaSizesTest<Sizes> {};

TEST_P(GqaCacheCpuSizes, IsWithinTheRoundingOfTheReference) {
  Problem expected(given());
  const std::vector<BatchRow> rows = Crowd(kTokens)[0];
  Call reference(expected, rows);
  GqaCacheReference(reference.args);
  Problem p(given());
  Call call(p, rows);
  EXPECT_EQ(GqaCacheCpuFallbackReason(call.args), "");
  RunIsa(GqaCacheCpu, isa(), 2, call.args);
  for (std::int64_t row = 0; row < std::ssize(rows); ++row) {
    for (std::int64_t i = 0; i < call.args.q.columns; ++i) {
      const double value = reference.q.At(row, i);
      ASSERT_NEAR(call.q.At(row, i), value, Bound(p.NormWidth(), DType::kF32, value));
    }
  }
  EXPECT_TRUE(call.q.PaddingIsUntouched());
  for (std::int64_t slot = 0; slot < call.batch.page_count() * kTestPageTokens; ++slot) {
    for (std::int64_t i = 0; i < p.sizes.kv_heads * p.sizes.head_dim; ++i) {
      const double value = expected.k_cache.At(slot, i);
      ASSERT_NEAR(p.k_cache.At(slot, i), value, Bound(p.NormWidth(), p.sizes.cache, value));
    }
    for (std::int64_t i = 0; i < p.sizes.kv_heads * p.sizes.head_dim; ++i) {
      const double value = expected.v_cache.At(slot, i);
      ASSERT_NEAR(p.v_cache.At(slot, i), value, Bound(p.NormWidth(), p.sizes.cache, value));
    }
  }
}

// The queries of sequence 0, by position, and what its pages hold.
std::vector<std::vector<std::byte>> Outputs(const Sizes& sizes, Isa isa, int threads,
                                            const Calls& calls) {
  Problem p(sizes);
  std::vector<std::vector<std::byte>> outputs;
  for (const std::vector<BatchRow>& rows : calls) {
    Call call(p, rows);
    RunIsa(GqaCacheCpu, isa, threads, call.args);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first == 0) outputs.push_back(RowBytes(call.q.view(), i));
    }
  }
  for (std::int64_t t = 0; t < kTokens; ++t) p.AddToken(t, outputs);
  return outputs;
}

TEST_P(GqaCacheCpuSizes, BitsDoNotDependOnChunksNeighboursOrThreads) {
  const Sizes& sizes = given();
  const auto whole = Outputs(sizes, isa(), 1, Chunks(kTokens, kTokens));
  EXPECT_EQ(Outputs(sizes, isa(), 2, Chunks(kTokens, 3)), whole);
  EXPECT_EQ(Outputs(sizes, isa(), 1, Chunks(kTokens, 1)), whole);
  EXPECT_EQ(Outputs(sizes, isa(), 3, Crowd(kTokens)), whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, GqaCacheCpuSizes,
    testing::Combine(EachIsa(),
                     testing::Values(Sizes{4, 2, 20, 16, true, false, DType::kF32, DType::kF32},
                                     Sizes{4, 2, 20, 16, true, true, DType::kBF16, DType::kBF16},
                                     Sizes{3, 3, 13, 6, false, true, DType::kBF16, DType::kF32},
                                     Sizes{2, 1, 150, 144, true, false, DType::kF32, DType::kBF16},
                                     Sizes{2, 1, 8, 8, false, false, DType::kF32, DType::kF32})),
    IsaSizesTestName<Sizes>);

TEST(GqaCacheCpu, OtherTypesRunOnTheReference) {
  Problem p({2, 1, 6, 4, true, true, DType::kF32, DType::kF32});
  Call call(p, {{0, 3}, {1, 5}});
  GqaCacheArgs args = call.args;
  args.q.dtype = DType::kBF16;
  EXPECT_EQ(GqaCacheCpuFallbackReason(args), "activations are BF16, not F32");
  args = call.args;
  args.k_norm.data.dtype = DType::kF16;
  EXPECT_EQ(GqaCacheCpuFallbackReason(args), "a norm is F16, not F32 or BF16");
  RunIsa(GqaCacheCpu, Isa::kBaseline, 1, args);
  Problem expected({2, 1, 6, 4, true, true, DType::kF32, DType::kF32});
  Call reference(expected, {{0, 3}, {1, 5}});
  reference.args.k_norm.data.dtype = DType::kF16;
  GqaCacheReference(reference.args);
  EXPECT_EQ(call.q.bytes(), reference.q.bytes());
  EXPECT_EQ(p.k_cache.bytes(), expected.k_cache.bytes());
}

}  // namespace
}  // namespace glint::kernels
