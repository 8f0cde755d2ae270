// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_cache/mla_cache_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"
#include "kernels/mla_cache/mla_cache_reference.h"
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
  std::int64_t nope;
  std::int64_t rope;
  std::int64_t kv_lora;
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
        norm(given.norm, given.kv_lora, 1),
        q(DType::kF32, kRows, given.heads * (given.nope + given.rope)),
        kv_a(DType::kF32, kRows, given.kv_lora + given.rope),
        cache(given.cache, given.kv_lora + given.rope, TestBatch(2, kTokens)) {
    BatchNumbers numbers(71);
    norm.Fill(numbers);
    q.Fill(numbers);
    kv_a.Fill(numbers);
  }
  [[nodiscard]] std::int64_t NormWidth() const { return sizes.kv_lora; }
  // The bytes of a token of sequence 0.
  void AddToken(std::int64_t t, std::vector<std::vector<std::byte>>& outputs) {
    const TestBatch batch(2, kTokens);
    const CacheView cache_view = cache.view();
    const Activation cache_rows = {cache_view.data, cache_view.dtype,
                                   batch.page_count() * kTestPageTokens, sizes.kv_lora + sizes.rope,
                                   sizes.kv_lora + sizes.rope};
    outputs.push_back(RowBytes(cache_rows, batch.Slot(0, t)));
  }
  Sizes sizes;
  std::vector<float> frequencies;
  TestRows norm;
  TestRows q;
  TestRows kv_a;
  TestCache cache;
};

struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows)
      : q(DType::kF32, std::ssize(rows), p.sizes.heads * (p.sizes.nope + p.sizes.rope), 3),
        kv_a(DType::kF32, std::ssize(rows), p.sizes.kv_lora + p.sizes.rope, 1) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence < 0) continue;
      const std::int64_t from = sequence * kTokens + position;
      CopyRow(p.q.view(), from, q.view(), i);
      CopyRow(p.kv_a.view(), from, kv_a.view(), i);
    }
    args.tables = batch.tables();
    args.rope = {p.frequencies.data(), p.sizes.rope, p.sizes.interleaved};
    args.heads = p.sizes.heads;
    args.nope = p.sizes.nope;
    args.kv_lora = p.sizes.kv_lora;
    args.q = q.view();
    args.kv_a = kv_a.view();
    args.norm_weight = VectorView(p.norm);
    args.cache = p.cache.view();
    EXPECT_TRUE(CheckMlaCacheArgs(args).ok());
  }
  TestBatch batch{2, kTokens};
  TestRows q;
  TestRows kv_a;
  MlaCacheArgs args;
};

// Inputs, weights and biases are below 1 and the factor of a norm below 4, so a value is below 8
// before its weight; sums in eight lanes make it wrong by width / 8 + 8 errors of that. A rotation
// takes two such values and adds 3 roundings of their sum. Both sides then round once.
double Bound(std::int64_t width, DType dtype, double value) {
  const double error = 2 * 8 * (static_cast<double>(width) / 8 + 8) + 3 * 16;
  return error * kF32Error + 2 * HalfStep(dtype, value) * (1 + 0x1p-7);
}

class MlaCacheCpuSizes : public IsaSizesTest<Sizes> {};

TEST_P(MlaCacheCpuSizes, IsWithinTheRoundingOfTheReference) {
  Problem expected(given());
  const std::vector<BatchRow> rows = Crowd(kTokens)[0];
  Call reference(expected, rows);
  MlaCacheReference(reference.args);
  Problem p(given());
  Call call(p, rows);
  EXPECT_EQ(MlaCacheCpuFallbackReason(call.args), "");
  RunIsa(MlaCacheCpu, isa(), 2, call.args);
  for (std::int64_t row = 0; row < std::ssize(rows); ++row) {
    for (std::int64_t i = 0; i < call.args.q.columns; ++i) {
      const double value = reference.q.At(row, i);
      ASSERT_NEAR(call.q.At(row, i), value, Bound(p.NormWidth(), DType::kF32, value));
    }
  }
  EXPECT_TRUE(call.q.PaddingIsUntouched());
  for (std::int64_t slot = 0; slot < call.batch.page_count() * kTestPageTokens; ++slot) {
    for (std::int64_t i = 0; i < p.sizes.kv_lora + p.sizes.rope; ++i) {
      const double value = expected.cache.At(slot, i);
      ASSERT_NEAR(p.cache.At(slot, i), value, Bound(p.NormWidth(), p.sizes.cache, value));
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
    RunIsa(MlaCacheCpu, isa, threads, call.args);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first == 0) outputs.push_back(RowBytes(call.q.view(), i));
    }
  }
  for (std::int64_t t = 0; t < kTokens; ++t) p.AddToken(t, outputs);
  return outputs;
}

TEST_P(MlaCacheCpuSizes, BitsDoNotDependOnChunksNeighboursOrThreads) {
  const Sizes& sizes = given();
  const auto whole = Outputs(sizes, isa(), 1, Chunks(kTokens, kTokens));
  EXPECT_EQ(Outputs(sizes, isa(), 2, Chunks(kTokens, 3)), whole);
  EXPECT_EQ(Outputs(sizes, isa(), 1, Chunks(kTokens, 1)), whole);
  EXPECT_EQ(Outputs(sizes, isa(), 3, Crowd(kTokens)), whole);
}

INSTANTIATE_TEST_SUITE_P(
    All, MlaCacheCpuSizes,
    testing::Combine(EachIsa(),
                     testing::Values(Sizes{3, 24, 16, 40, true, DType::kF32, DType::kF32},
                                     Sizes{3, 24, 16, 40, true, DType::kBF16, DType::kBF16},
                                     Sizes{2, 0, 6, 13, false, DType::kBF16, DType::kF32},
                                     Sizes{1, 5, 144, 3, true, DType::kF32, DType::kBF16})),
    IsaSizesTestName<Sizes>);

TEST(MlaCacheCpu, OtherTypesRunOnTheReference) {
  Problem p({2, 3, 4, 5, true, DType::kF32, DType::kF32});
  Call call(p, {{0, 3}, {1, 5}});
  MlaCacheArgs args = call.args;
  args.q.dtype = DType::kBF16;
  EXPECT_EQ(MlaCacheCpuFallbackReason(args), "activations are BF16, not F32");
  args = call.args;
  args.norm_weight.data.dtype = DType::kF16;
  EXPECT_EQ(MlaCacheCpuFallbackReason(args), "a norm is F16, not F32 or BF16");
  RunIsa(MlaCacheCpu, Isa::kBaseline, 1, args);
  Problem expected({2, 3, 4, 5, true, DType::kF32, DType::kF32});
  Call reference(expected, {{0, 3}, {1, 5}});
  reference.args.norm_weight.data.dtype = DType::kF16;
  MlaCacheReference(reference.args);
  EXPECT_EQ(call.q.bytes(), reference.q.bytes());
  EXPECT_EQ(p.cache.bytes(), expected.cache.bytes());
}

}  // namespace
}  // namespace glint::kernels
