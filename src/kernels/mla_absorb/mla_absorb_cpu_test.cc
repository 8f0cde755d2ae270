// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/internal/test_isa.h"
#include "kernels/mla_absorb/mla_absorb_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Calls = std::vector<std::vector<BatchRow>>;
using Rows = std::vector<std::vector<std::byte>>;

constexpr std::int32_t kTokens = 70;  // three tiles of rows
constexpr std::int64_t kRows = 2 * std::int64_t{kTokens};

struct Sizes {
  std::int64_t heads;
  std::int64_t nope;
  std::int64_t rope;
  std::int64_t value;
  std::int64_t kv_lora;
  DType weights;
};

struct Problem {
  explicit Problem(const Sizes& given)
      : sizes(given),
        kv_b(given.weights, given.heads * (given.nope + given.value), given.kv_lora),
        q(DType::kF32, kRows, given.heads * (given.nope + given.rope)),
        latent(DType::kF32, kRows, given.heads * given.kv_lora) {
    BatchNumbers numbers(61);
    kv_b.Fill(numbers);
    q.Fill(numbers);
    latent.Fill(numbers);
  }
  tensor::WeightView Weights() {
    tensor::WeightView view;
    const Activation rows = kv_b.view();
    view.rows = rows.rows;
    view.columns = rows.columns;
    view.data = {rows.dtype, {rows.rows, rows.columns}, static_cast<const std::byte*>(rows.data)};
    return view;
  }
  Sizes sizes;
  TestRows kv_b;
  TestRows q;
  TestRows latent;
};

struct Call {
  Call(Problem& p, const std::vector<BatchRow>& rows)
      : q(DType::kF32, std::ssize(rows), p.sizes.heads * (p.sizes.nope + p.sizes.rope), 3),
        latent(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.kv_lora, 1),
        q_latent(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.kv_lora, 2),
        output(DType::kF32, std::ssize(rows), p.sizes.heads * p.sizes.value, 5) {
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const auto [sequence, position] = rows[i];
      batch.AddRow(sequence, position);
      if (sequence < 0) continue;
      CopyRow(p.q.view(), sequence * kTokens + position, q.view(), i);
      CopyRow(p.latent.view(), sequence * kTokens + position, latent.view(), i);
    }
    const Sizes& s = p.sizes;
    Activation q_nope = q.view();
    q_nope.columns = (s.heads - 1) * (s.nope + s.rope) + s.nope;
    absorb = {batch.tables(), s.heads,         s.nope,      s.value,        s.kv_lora,
              q_nope,         s.nope + s.rope, p.Weights(), q_latent.view()};
    expand = {batch.tables(), s.heads,       s.nope,      s.value,
              s.kv_lora,      latent.view(), p.Weights(), output.view()};
    EXPECT_TRUE(CheckMlaAbsorbQueryArgs(absorb).ok());
    EXPECT_TRUE(CheckMlaExpandValueArgs(expand).ok());
  }
  TestBatch batch{2, kTokens};
  TestRows q;
  TestRows latent;
  TestRows q_latent;
  TestRows output;
  MlaAbsorbQueryArgs absorb;
  MlaExpandValueArgs expand;
};

double WorstDifference(const TestRows& a, const TestRows& b, std::int64_t rows,
                       std::int64_t columns) {
  double worst = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < columns; ++i) {
      worst = std::max(worst, std::abs(a.At(row, i) - b.At(row, i)));
    }
  }
  return worst;
}

class MlaAbsorbCpuSizes : public IsaSizesTest<Sizes> {};

// All numbers are below 1: a sum of n products is off by at most n errors of a sum below n, in
// eight lanes by n / 8 + 8; the reference is rounded once.
TEST_P(MlaAbsorbCpuSizes, IsWithinTheRoundingOfTheReference) {
  Problem p(given());
  const std::vector<BatchRow> rows = Crowd(kTokens)[0];
  const auto nope = static_cast<double>(p.sizes.nope);
  const auto kv_lora = static_cast<double>(p.sizes.kv_lora);
  Call expected(p, rows);
  MlaAbsorbQueryReference(expected.absorb);
  MlaExpandValueReference(expected.expand);
  Call call(p, rows);
  EXPECT_EQ(MlaAbsorbQueryCpuFallbackReason(call.absorb), "");
  EXPECT_EQ(MlaExpandValueCpuFallbackReason(call.expand), "");
  RunIsa(MlaAbsorbQueryCpu, isa(), 2, call.absorb);
  RunIsa(MlaExpandValueCpu, isa(), 2, call.expand);
  EXPECT_LT(WorstDifference(call.q_latent, expected.q_latent, std::ssize(rows),
                            p.sizes.heads * p.sizes.kv_lora),
            (nope + 1) * nope * kF32Error);
  EXPECT_LT(WorstDifference(call.output, expected.output, std::ssize(rows),
                            p.sizes.heads * p.sizes.value),
            (kv_lora / 8 + 9) * kv_lora * kF32Error);
  EXPECT_TRUE(call.q_latent.PaddingIsUntouched());
  EXPECT_TRUE(call.output.PaddingIsUntouched());
}

// Both results of sequence 0, by position.
Rows Outputs(Problem& p, Isa isa, int threads, const Calls& calls) {
  Rows outputs;
  for (const std::vector<BatchRow>& rows : calls) {
    Call call(p, rows);
    RunIsa(MlaAbsorbQueryCpu, isa, threads, call.absorb);
    RunIsa(MlaExpandValueCpu, isa, threads, call.expand);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].first != 0) continue;
      outputs.push_back(RowBytes(call.q_latent.view(), i));
      outputs.push_back(RowBytes(call.output.view(), i));
    }
  }
  return outputs;
}

TEST_P(MlaAbsorbCpuSizes, BitsDoNotDependOnChunksNeighboursOrThreads) {
  Problem p(given());
  const Rows whole = Outputs(p, isa(), 1, Chunks(kTokens, kTokens));
  EXPECT_EQ(Outputs(p, isa(), 2, Chunks(kTokens, 3)), whole);
  EXPECT_EQ(Outputs(p, isa(), 1, Chunks(kTokens, 1)), whole);
  EXPECT_EQ(Outputs(p, isa(), 3, Crowd(kTokens)), whole);
}

INSTANTIATE_TEST_SUITE_P(All, MlaAbsorbCpuSizes,
                         testing::Combine(EachIsa(),
                                          testing::Values(Sizes{3, 24, 16, 20, 40, DType::kF32},
                                                          Sizes{3, 24, 16, 20, 40, DType::kBF16},
                                                          Sizes{2, 7, 2, 5, 27, DType::kBF16},
                                                          Sizes{2, 24, 2, 13, 77, DType::kBF16},
                                                          Sizes{1, 9, 2, 8, 64, DType::kF32},
                                                          Sizes{1, 1, 2, 1, 3, DType::kF32})),
                         IsaSizesTestName<Sizes>);

TEST(MlaAbsorbCpu, OtherTypesAndFormatsRunOnTheReference) {
  Problem p({2, 4, 2, 3, 5, DType::kF16});
  Call call(p, {{0, 0}, {1, 3}});
  EXPECT_EQ(MlaAbsorbQueryCpuFallbackReason(call.absorb), "kv_b is F16, not F32 or BF16");
  EXPECT_EQ(MlaExpandValueCpuFallbackReason(call.expand), "kv_b is F16, not F32 or BF16");
  RunIsa(MlaAbsorbQueryCpu, Isa::kBaseline, 1, call.absorb);
  RunIsa(MlaExpandValueCpu, Isa::kBaseline, 1, call.expand);
  Call expected(p, {{0, 0}, {1, 3}});
  MlaAbsorbQueryReference(expected.absorb);
  MlaExpandValueReference(expected.expand);
  EXPECT_EQ(call.q_latent.bytes(), expected.q_latent.bytes());
  EXPECT_EQ(call.output.bytes(), expected.output.bytes());
  call.absorb.kv_b.format = tensor::WeightFormat::kFp8Block;
  EXPECT_EQ(MlaAbsorbQueryCpuFallbackReason(call.absorb), "kv_b is fp8 block 128, not plain");
  call.absorb.q_latent.dtype = DType::kBF16;
  EXPECT_EQ(MlaAbsorbQueryCpuFallbackReason(call.absorb), "activations are BF16, not F32");
}

// The two halves of kv_b with quantised input: three heads of 32 + 32, 64 latents, 24 values.
struct Halves {
  static constexpr std::int64_t kHeads = 3;
  static constexpr std::int64_t kNope = 32;
  static constexpr std::int64_t kStride = 64;
  static constexpr std::int64_t kLatent = 64;
  static constexpr std::int64_t kValue = 24;

  explicit Halves(std::int32_t rows)
      : keys({tensor::WeightFormat::kQ4_0}, kHeads * kLatent, kNope, 1),
        values({tensor::WeightFormat::kQ8_0}, kHeads * kValue, kLatent, 2),
        k_b(keys),
        v_b(values),
        q(DType::kI8, rows, (kHeads - 1) * kStride + kNope, 32),
        attended(DType::kI8, rows, kHeads * kLatent, 32),
        q_latent(DType::kF32, rows, kHeads * kLatent, 2),
        output(DType::kF32, rows, kHeads * kValue, 5),
        batch(1, rows) {
    q.FillRandom(3);
    attended.FillRandom(4);
    for (std::int32_t row = 0; row < rows; ++row) batch.AddRow(0, row);
    query = {.tables = batch.tables(),
             .heads = kHeads,
             .nope = kNope,
             .value = kValue,
             .kv_lora = kLatent,
             .query_head_stride = kStride,
             .q_latent = q_latent.view(),
             .quantized_q = q.view(),
             .k_b = k_b.view()};
    expand = {.tables = batch.tables(),
              .heads = kHeads,
              .nope = kNope,
              .value = kValue,
              .kv_lora = kLatent,
              .output = output.view(),
              .quantized_latent = attended.view(),
              .v_b = v_b.view()};
  }

  TestWeight keys;
  TestWeight values;
  TestInterleaved k_b;
  TestInterleaved v_b;
  TestQuantized q;
  TestQuantized attended;
  TestActivation q_latent;
  TestActivation output;
  TestBatch batch;
  MlaAbsorbQueryArgs query;
  MlaExpandValueArgs expand;
};

// Codes are below 16 and scales below 1/32, or 128; inputs below 128 / 32: the contract's error of
// at most 64 products.
void ExpectNear(const TestActivation& got, const TestActivation& want) {
  for (std::int64_t row = 0; row < want.view().rows; ++row) {
    for (std::int64_t n = 0; n < want.view().columns; ++n) {
      ASSERT_NEAR(got.At(row, n), want.At(row, n), 68 * 64 * 16 * std::ldexp(1.0, -24)) << n;
    }
  }
  EXPECT_TRUE(got.GapsAreUntouched());
}

using MlaAbsorbCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, MlaAbsorbCpuOn, EachIsa(), IsaTestName);

TEST_P(MlaAbsorbCpuOn, HalvesOfKvBAreLinearHeadByHead) {
  Halves want(7);
  ASSERT_TRUE(CheckMlaAbsorbQueryArgs(want.query).ok());
  ASSERT_TRUE(CheckMlaExpandValueArgs(want.expand).ok());
  MlaAbsorbQueryReference(want.query);
  MlaExpandValueReference(want.expand);
  double sum = 0;  // of the last head, by hand
  for (std::int64_t k = 0; k < Halves::kNope; ++k) {
    sum += want.q.At(6, 2 * Halves::kStride + k) * want.keys.At(2 * Halves::kLatent + 5, k);
  }
  EXPECT_NEAR(want.q_latent.At(6, 2 * Halves::kLatent + 5), sum, 1e-5);
  Halves got(7);
  EXPECT_EQ(MlaAbsorbQueryCpuFallbackReason(got.query), "");
  EXPECT_EQ(MlaExpandValueCpuFallbackReason(got.expand), "");
  RunIsa(MlaAbsorbQueryCpu, isa(), 3, got.query);
  RunIsa(MlaExpandValueCpu, isa(), 3, got.expand);
  ExpectNear(got.q_latent, want.q_latent);
  ExpectNear(got.output, want.output);
}

TEST(MlaAbsorbCpu, HalvesThatDoNotFitAreRefused) {
  Halves halves(2);
  halves.query.query_head_stride = 48;
  EXPECT_FALSE(CheckMlaAbsorbQueryArgs(halves.query).ok());
  halves.expand.quantized_latent.columns = 160;
  EXPECT_FALSE(CheckMlaExpandValueArgs(halves.expand).ok());
  Halves rows(2);
  rows.query.k_b = rows.keys.view();
  EXPECT_NE(MlaAbsorbQueryCpuFallbackReason(rows.query), "");
}

}  // namespace
}  // namespace glint::kernels
