// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/mla_absorb/mla_absorb_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;

// Two heads: nope 2 and rope 1 in q, value 1, latent 2; a padding row between two rows.
struct Fixture {
  explicit Fixture(DType dtype)
      : q(dtype, 3, 5, 1), q_latent(dtype, 3, 4, 1), latent(dtype, 3, 4), output(dtype, 3, 2, 1) {
    batch.AddRow(0, 0);
    batch.AddPadding();
    batch.AddRow(0, 1);
    absorb.tables = batch.tables();
    absorb.heads = 2;
    absorb.nope = 2;
    absorb.value = 1;
    absorb.kv_lora = 2;
    absorb.q = q.view();
    absorb.query_head_stride = 3;
    absorb.kv_b = kv_b.view();
    absorb.q_latent = q_latent.view();
    expand.tables = batch.tables();
    expand.heads = 2;
    expand.nope = 2;
    expand.value = 1;
    expand.kv_lora = 2;
    expand.latent = latent.view();
    expand.kv_b = kv_b.view();
    expand.output = output.view();
    q.SetRow(0, {1, 2, 50, 3, 4});
    q.SetRow(1, {9, 9, 50, 9, 9});
    q.SetRow(2, {-1, 0, 50, 0, 2});
    latent.SetRow(0, {1, 2, 3, 4});
    latent.SetRow(2, {-1, 0, 0, 2});
  }
  TestBatch batch{1, 4};
  TestRows q;
  // Head 0: UK rows (1 2) (3 4), UV row (5 6). Head 1: UK (7 8) (9 10), UV (11 12).
  BatchWeight kv_b{6, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  TestRows q_latent;
  TestRows latent;
  TestRows output;
  MlaAbsorbQueryArgs absorb;
  MlaExpandValueArgs expand;
};

class MlaAbsorbDTypes : public ::testing::TestWithParam<DType> {};

TEST_P(MlaAbsorbDTypes, QueryGoesThroughTheTransposedKeyRows) {
  Fixture f(GetParam());
  ASSERT_TRUE(CheckMlaAbsorbQueryArgs(f.absorb).ok());
  MlaAbsorbQueryReference(f.absorb);
  const double first[] = {1 + 6, 2 + 8, 21 + 36, 24 + 40};
  const double third[] = {-1, -2, 18, 20};
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(f.q_latent.At(0, i), first[i]);
    EXPECT_EQ(f.q_latent.At(1, i), 99);
    EXPECT_EQ(f.q_latent.At(2, i), third[i]);
  }
  EXPECT_TRUE(f.q_latent.PaddingIsUntouched());
}

TEST_P(MlaAbsorbDTypes, LatentGoesThroughTheValueRows) {
  Fixture f(GetParam());
  ASSERT_TRUE(CheckMlaExpandValueArgs(f.expand).ok());
  MlaExpandValueReference(f.expand);
  EXPECT_EQ(f.output.At(0, 0), 5 + 12);
  EXPECT_EQ(f.output.At(0, 1), 33 + 48);
  EXPECT_EQ(f.output.At(1, 0), 99);
  EXPECT_EQ(f.output.At(2, 0), -5);
  EXPECT_EQ(f.output.At(2, 1), 24);
  EXPECT_TRUE(f.output.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, MlaAbsorbDTypes, ::testing::Values(DType::kF32, DType::kBF16));

// Heads of 112 rows: head 1 begins inside the first block of 128, its UV inside the second.
TEST(MlaAbsorb, Fp8BlocksStraddleHeads) {
  constexpr std::int64_t kNope = 48;
  constexpr std::int64_t kValue = 64;
  constexpr std::int64_t kRows = 2 * (kNope + kValue);
  std::vector<std::uint8_t> codes(kRows, tensor::FloatToE4M3(1.0F));
  const std::vector<float> scales = {2.0F, 3.0F};
  tensor::WeightView kv_b;
  kv_b.format = tensor::WeightFormat::kFp8Block;
  kv_b.rows = kRows;
  kv_b.columns = 1;
  kv_b.data = {DType::kF8E4M3, {kRows, 1}, reinterpret_cast<const std::byte*>(codes.data())};
  kv_b.scales = {DType::kF32, {2, 1}, reinterpret_cast<const std::byte*>(scales.data())};
  TestBatch batch(1, 4);
  batch.AddRow(0, 0);
  TestRows q(DType::kF32, 1, 2 * kNope);
  TestRows q_latent(DType::kF32, 1, 2);
  TestRows output(DType::kF32, 1, 2 * kValue);
  for (std::int64_t i = 0; i < 2 * kNope; ++i) q.Set(0, i, 1);
  const MlaAbsorbQueryArgs absorb = {batch.tables(), 2,     kNope, kValue,         1,
                                     q.view(),       kNope, kv_b,  q_latent.view()};
  ASSERT_TRUE(CheckMlaAbsorbQueryArgs(absorb).ok());
  MlaAbsorbQueryReference(absorb);
  EXPECT_EQ(q_latent.At(0, 0), 48 * 2);
  EXPECT_EQ(q_latent.At(0, 1), 16 * 2 + 32 * 3);  // rows 112 ... 159, cut at 128
  const MlaExpandValueArgs expand = {batch.tables(),  2,    kNope,        kValue, 1,
                                     q_latent.view(), kv_b, output.view()};
  ASSERT_TRUE(CheckMlaExpandValueArgs(expand).ok());
  MlaExpandValueReference(expand);
  EXPECT_EQ(output.At(0, 0), 96 * 2);
  EXPECT_EQ(output.At(0, kValue), 128 * 3);
}

TEST(MlaAbsorb, ChecksNameTheArgument) {
  const Fixture f(DType::kF32);
  MlaAbsorbQueryArgs absorb = f.absorb;
  absorb.query_head_stride = 1;
  EXPECT_EQ(CheckMlaAbsorbQueryArgs(absorb).error().message,
            "mla_absorb_query: query_head_stride is 1, must be >= 2");
  absorb = f.absorb;
  absorb.q.columns = 6;
  EXPECT_EQ(CheckMlaAbsorbQueryArgs(absorb).error().message,
            "mla_absorb_query: q has 6 columns, must be 5");
  absorb = f.absorb;
  absorb.kv_b.format = tensor::WeightFormat::kFp8Block;
  EXPECT_EQ(CheckMlaAbsorbQueryArgs(absorb).error().message,
            "mla_absorb_query: kv_b is fp8 block 128 without scales");
  MlaExpandValueArgs expand = f.expand;
  expand.value = 2;
  EXPECT_EQ(CheckMlaExpandValueArgs(expand).error().message,
            "mla_expand_value: kv_b is [6, 2], must be [8, 2]");
  expand = f.expand;
  expand.output.dtype = DType::kF16;
  EXPECT_EQ(CheckMlaExpandValueArgs(expand).error().message,
            "mla_expand_value: output is F16, must be F32 or BF16");
}

}  // namespace
}  // namespace glint::kernels
