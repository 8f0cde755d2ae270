// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_cache/gqa_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/gqa_cache/gqa_cache_reference.h"
#include "kernels/internal/test_batch.h"

namespace glint::kernels {
namespace {

using tensor::DType;

constexpr std::array<float, 2> kFrequencies = {0.5F, 0.125F};

// Two query heads and one key head of 5, the first 4 rotated; q, k and v lie in one buffer of 20.
struct Fixture {
  Fixture(DType rows, DType pages)
      : qkv(rows, 3, 20, 1), k_cache(pages, 5, MakeBatch(batch)), v_cache(pages, 5, batch) {
    args.tables = batch.tables();
    args.rope = {kFrequencies.data(), 4, false};
    args.heads = 2;
    args.kv_heads = 1;
    args.head_dim = 5;
    args.q = Columns(0, 10);
    args.k = Columns(10, 5);
    args.v = Columns(15, 5);
    args.k_cache = k_cache.view();
    args.v_cache = v_cache.view();
    for (std::int64_t row = 0; row < 3; ++row) {
      qkv.SetRow(row, {1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 1, -1, 2, -2, 3, 9, 8, 7, 6, 5});
    }
  }
  Activation Columns(std::int64_t first, std::int64_t count) {
    Activation view = qkv.view();
    view.data = static_cast<std::byte*>(view.data) + first * tensor::DTypeBytes(view.dtype);
    view.columns = count;
    return view;
  }
  static const TestBatch& MakeBatch(TestBatch& batch) {
    batch.AddRow(1, 5);
    batch.AddPadding();
    batch.AddRow(0, 8);
    return batch;
  }

  TestBatch batch{2, 9};
  TestRows qkv;
  TestCache k_cache;
  TestCache v_cache;
  GqaCacheArgs args;
};

class GqaCacheDTypes : public ::testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(GqaCacheDTypes, RotatesHalfSplitPairsOfTheFirstElements) {
  const auto [row_type, page_type] = GetParam();
  Fixture f(row_type, page_type);
  ASSERT_TRUE(CheckGqaCacheArgs(f.args).ok());
  GqaCacheReference(f.args);
  const std::int64_t sequences[] = {1, -1, 0};
  const std::int64_t positions[] = {5, 0, 8};
  for (std::int64_t row : {0, 2}) {
    const auto p = static_cast<double>(positions[row]);
    const double c0 = std::cos(p * 0.5);
    const double s0 = std::sin(p * 0.5);
    const double c1 = std::cos(p * 0.125);
    const double s1 = std::sin(p * 0.125);
    const std::int64_t slot = f.batch.Slot(sequences[row], positions[row]);
    const double key[] = {c0 - 2 * s0, -c1 + 2 * s1, 2 * c0 + s0, -2 * c1 - s1, 3};
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(f.k_cache.At(slot, i), key[i], HalfStep(page_type, key[i]) + 3 * 0x1p-24);
      EXPECT_EQ(f.v_cache.At(slot, i), static_cast<double>(9 - i));
    }
    const double query[] = {c0 - 3 * s0,     2 * c1 - 4 * s1, 3 * c0 + s0,     4 * c1 + 2 * s1, 5,
                            5 * c0 - 3 * s0, 4 * c1 - 2 * s1, 3 * c0 + 5 * s0, 2 * c1 + 4 * s1, 1};
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(f.qkv.At(row, i), query[i], HalfStep(row_type, query[i]) + 8 * 0x1p-24);
    }
    for (std::int64_t i = 10; i < 20; ++i) EXPECT_EQ(f.qkv.At(row, i), f.qkv.At(1, i));
  }
  for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(f.qkv.At(1, i), static_cast<double>(i + 1));
  EXPECT_TRUE(f.qkv.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, GqaCacheDTypes,
                         ::testing::Values(std::pair{DType::kF32, DType::kF32},
                                           std::pair{DType::kF32, DType::kBF16},
                                           std::pair{DType::kBF16, DType::kF32},
                                           std::pair{DType::kBF16, DType::kBF16}));

TEST(GqaCache, NormsComeBeforeRopeAndHeadByHead) {
  Fixture f(DType::kF32, DType::kF32);
  const BatchWeight q_norm(5, 1, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F});
  const BatchWeight k_norm(5, 1, {2.0F, 2.0F, 0.5F, 2.0F, 1.0F});
  f.args.q_norm = q_norm.view();
  f.args.k_norm = k_norm.view();
  f.args.rope.interleaved = true;
  ASSERT_TRUE(CheckGqaCacheArgs(f.args).ok());
  GqaCacheReference(f.args);
  const double c = std::cos(2.5);
  const double s = std::sin(2.5);
  const double rq = 1 / std::sqrt(55.0 / 5 + 1e-5);
  const double rk = 1 / std::sqrt(19.0 / 5 + 1e-5);
  EXPECT_NEAR(f.qkv.At(0, 0), rq * (1 * c - 4 * s), 1e-6);
  EXPECT_NEAR(f.qkv.At(0, 5), rq * (5 * c - 8 * s), 1e-6);  // the second head's first element
  EXPECT_NEAR(f.qkv.At(0, 9), rq * 5, 1e-6);
  const std::int64_t slot = f.batch.Slot(1, 5);
  EXPECT_NEAR(f.k_cache.At(slot, 0), rk * (2 * c + 2 * s), 1e-6);
  EXPECT_NEAR(f.k_cache.At(slot, 4), rk * 3, 1e-6);
}

TEST(GqaCache, OneNormMayBeGivenAlone) {
  Fixture f(DType::kF32, DType::kF32);
  const BatchWeight k_norm(5, 1, {1.0F, 1.0F, 1.0F, 1.0F, 1.0F});
  f.args.k_norm = k_norm.view();
  ASSERT_TRUE(CheckGqaCacheArgs(f.args).ok());
  GqaCacheReference(f.args);
  EXPECT_EQ(f.qkv.At(0, 4), 5);
  EXPECT_NEAR(f.k_cache.At(f.batch.Slot(1, 5), 4), 3 / std::sqrt(3.8), 1e-5);
}

TEST(GqaCache, ChecksNameTheArgument) {
  const Fixture f(DType::kF32, DType::kF32);
  GqaCacheArgs args = f.args;
  args.heads = 3;
  args.kv_heads = 2;
  EXPECT_EQ(CheckGqaCacheArgs(args).error().message,
            "gqa_cache: kv_heads is 2, must divide heads, 3");
  args = f.args;
  args.kv_heads = 0;
  EXPECT_EQ(CheckGqaCacheArgs(args).error().message, "gqa_cache: kv_heads is 0, must be > 0");
  args = f.args;
  args.v.rows = 2;
  EXPECT_EQ(CheckGqaCacheArgs(args).error().message, "gqa_cache: v has 2 rows, must be 3");
  args = f.args;
  args.v_cache.width = 4;
  EXPECT_EQ(CheckGqaCacheArgs(args).error().message, "gqa_cache: v_cache has width 4, must be 5");
  const BatchWeight wrong(4, 1, {1.0F, 1.0F, 1.0F, 1.0F});
  args = f.args;
  args.q_norm = wrong.view();
  EXPECT_EQ(CheckGqaCacheArgs(args).error().message, "gqa_cache: q_norm is [4, 1], must be [5, 1]");
}

}  // namespace
}  // namespace glint::kernels
