// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_cache/mla_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/internal/test_batch.h"
#include "kernels/mla_cache/mla_cache_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;

constexpr std::array<float, 1> kFrequency = {0.5F};

// Two heads of 1 + 2, latent 2, rope 2; three rows of two sequences and a padding row between.
struct Fixture {
  explicit Fixture(DType rows, DType pages)
      : q(rows, 4, 6, 3), kv_a(rows, 4, 4, 1), cache(pages, 4, MakeBatch(batch)) {
    args.tables = batch.tables();
    args.rope = {kFrequency.data(), 2, true};
    args.heads = 2;
    args.nope = 1;
    args.kv_lora = 2;
    args.q = q.view();
    args.kv_a = kv_a.view();
    args.norm_weight = weight.view();
    args.epsilon = 1e-5F;
    args.cache = cache.view();
    for (std::int64_t row = 0; row < 4; ++row) {
      q.SetRow(row, {1, 2, 3, 4, 5, 6});
      kv_a.SetRow(row, {3, 4, 1, 2});
    }
  }
  static const TestBatch& MakeBatch(TestBatch& batch) {
    batch.AddRow(1, 6);
    batch.AddPadding();
    batch.AddRow(0, 0);
    batch.AddRow(0, 9);
    return batch;
  }

  TestBatch batch{2, 12};
  TestRows q;
  TestRows kv_a;
  BatchWeight weight{2, 1, {2.0F, 0.5F}};
  TestCache cache;
  MlaCacheArgs args;
};

class MlaCacheDTypes : public ::testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(MlaCacheDTypes, NormalisesTheLatentAndRotatesTheRest) {
  const auto [row_type, page_type] = GetParam();
  Fixture f(row_type, page_type);
  ASSERT_TRUE(CheckMlaCacheArgs(f.args).ok());
  MlaCacheReference(f.args);
  const std::int64_t sequences[] = {1, -1, 0, 0};
  const std::int64_t positions[] = {6, 0, 0, 9};
  const double factor = 1 / std::sqrt((9.0 + 16.0) / 2 + 1e-5);
  for (std::int64_t row : {0, 2, 3}) {
    const double angle = 0.5 * static_cast<double>(positions[row]);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const std::int64_t slot = f.batch.Slot(sequences[row], positions[row]);
    const double cached[] = {3 * factor * 2, 4 * factor * 0.5, c - 2 * s, 2 * c + s};
    // One rounding of the value, and cosine and sine rounded to float.
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(f.cache.At(slot, i), cached[i], HalfStep(page_type, cached[i]) + 3 * 0x1p-24);
    }
    const double rotated[] = {1, 2 * c - 3 * s, 3 * c + 2 * s, 4, 5 * c - 6 * s, 6 * c + 5 * s};
    for (std::int64_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(f.q.At(row, i), rotated[i], HalfStep(row_type, rotated[i]) + 11 * 0x1p-24);
    }
  }
  EXPECT_TRUE(f.q.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, MlaCacheDTypes,
                         ::testing::Values(std::pair{DType::kF32, DType::kF32},
                                           std::pair{DType::kF32, DType::kBF16},
                                           std::pair{DType::kBF16, DType::kF32},
                                           std::pair{DType::kBF16, DType::kBF16}));

TEST(MlaCache, PaddingRowAndOtherSlotsAreNotTouched) {
  Fixture f(DType::kF32, DType::kF32);
  MlaCacheReference(f.args);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(f.q.At(1, i), static_cast<double>(i + 1));
  std::int64_t written = 0;
  for (std::int64_t slot = 0; slot < f.batch.page_count() * kTestPageTokens; ++slot) {
    if (f.cache.At(slot, 0) != 99) ++written;
  }
  EXPECT_EQ(written, 3);
}

TEST(MlaCache, TheFormOfRopeIsTheArguments) {
  constexpr std::array<float, 2> kTwo = {1.0F, 0.25F};
  TestBatch batch(1, 4);
  batch.AddRow(0, 1);
  TestRows q(DType::kF32, 1, 4);
  TestRows kv_a(DType::kF32, 1, 5);
  TestCache cache(DType::kF32, 5, batch);
  const BatchWeight weight(1, 1, {1.0F});
  q.SetRow(0, {1, 0, 0, 0});
  kv_a.SetRow(0, {7, 1, 0, 0, 0});
  MlaCacheArgs args;
  args.tables = batch.tables();
  args.rope = {kTwo.data(), 4, false};
  args.heads = 1;
  args.kv_lora = 1;
  args.q = q.view();
  args.kv_a = kv_a.view();
  args.norm_weight = weight.view();
  args.cache = cache.view();
  ASSERT_TRUE(CheckMlaCacheArgs(args).ok());
  MlaCacheReference(args);
  EXPECT_NEAR(q.At(0, 2), std::sin(1.0), 1e-7);
  EXPECT_EQ(q.At(0, 1), 0);
  EXPECT_NEAR(cache.At(batch.Slot(0, 1), 3), std::sin(1.0), 1e-7);
}

TEST(MlaCache, ARowDoesNotDependOnItsNeighbours) {
  Fixture all(DType::kBF16, DType::kBF16);
  MlaCacheReference(all.args);
  Fixture one(DType::kBF16, DType::kBF16);
  TestBatch batch(2, 12);
  batch.AddRow(0, 9);
  one.args.tables = batch.tables();
  one.args.q.rows = 1;
  one.args.kv_a.rows = 1;
  MlaCacheReference(one.args);
  const std::int64_t slot = batch.Slot(0, 9);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(all.cache.At(slot, i), one.cache.At(slot, i));
}

TEST(MlaCache, NoRowsIsNoWork) {
  Fixture f(DType::kF32, DType::kF32);
  f.args.tables.row_count = 0;
  f.args.q.rows = 0;
  f.args.kv_a.rows = 0;
  EXPECT_TRUE(CheckMlaCacheArgs(f.args).ok());
  MlaCacheReference(f.args);
  EXPECT_EQ(f.q.At(0, 1), 2);
}

TEST(MlaCache, ChecksNameTheArgument) {
  const Fixture f(DType::kF32, DType::kF32);
  MlaCacheArgs args = f.args;
  args.q.columns = 5;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message, "mla_cache: q has 5 columns, must be 6");
  args = f.args;
  args.cache.dtype = DType::kF8E4M3;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message,
            "mla_cache: cache is F8_E4M3, must be F32 or BF16");
  args = f.args;
  args.cache.page_tokens = 16;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message,
            "mla_cache: cache has pages of 16 tokens, the tables of 4");
  args = f.args;
  args.rope.width = 3;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message,
            "mla_cache: rope width is 3, must be even, > 0 and <= 4");
  args = f.args;
  args.kv_a.stride = 3;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message, "mla_cache: kv_a has stride 3, must be >= 4");
  args = f.args;
  args.norm_weight.rows = 4;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message,
            "mla_cache: norm_weight is [4, 1], must be [2, 1]");
  args = f.args;
  args.epsilon = 0;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message, "mla_cache: epsilon is 0, must be > 0");
  args = f.args;
  args.tables.row_sequence = nullptr;
  EXPECT_EQ(CheckMlaCacheArgs(args).error().message, "mla_cache: row_sequence is null");
}

}  // namespace
}  // namespace glint::kernels
