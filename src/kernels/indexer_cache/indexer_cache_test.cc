// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_cache/indexer_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/indexer_cache/indexer_cache_reference.h"
#include "kernels/internal/test_batch.h"

namespace glint::kernels {
namespace {

using tensor::DType;

constexpr std::array<float, 2> kFrequencies = {0.5F, 0.125F};

// Two heads of 4 + 1; two rows of two sequences after a padding row.
struct Fixture {
  Fixture(DType rows, DType pages)
      : q(rows, 3, 10, 2), k(rows, 3, 5, 1), cache(pages, 5, MakeBatch(batch)) {
    args.tables = batch.tables();
    args.rope = {kFrequencies.data(), 4, true};
    args.heads = 2;
    args.head_dim = 5;
    args.q = q.view();
    args.k = k.view();
    args.norm_weight = weight.view();
    args.norm_bias = bias.view();
    args.cache = cache.view();
    for (std::int64_t row = 0; row < 3; ++row) {
      q.SetRow(row, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
      k.SetRow(row, {1, 2, 3, 4, 5});
    }
  }
  static const TestBatch& MakeBatch(TestBatch& batch) {
    batch.AddPadding();
    batch.AddRow(1, 5);
    batch.AddRow(0, 8);
    return batch;
  }

  TestBatch batch{2, 9};
  TestRows q;
  TestRows k;
  BatchWeight weight{5, 1, {1.0F, 2.0F, 1.0F, 0.5F, 4.0F}};
  BatchWeight bias{5, 1, {0.0F, 0.0F, 1.0F, -1.0F, 2.0F}};
  TestCache cache;
  IndexerCacheArgs args;
};

class IndexerCacheDTypes : public ::testing::TestWithParam<std::pair<DType, DType>> {};

// By hand, pairs (0, 1) and (2, 3): with half-split pairs (0, 2) and (1, 3) every number differs.
TEST_P(IndexerCacheDTypes, RotatesTheFirstElementsInInterleavedPairs) {
  const auto [row_type, page_type] = GetParam();
  Fixture f(row_type, page_type);
  ASSERT_TRUE(CheckIndexerCacheArgs(f.args).ok());
  IndexerCacheReference(f.args);
  const double r = 1 / std::sqrt(2 + 1e-6);  // mean 3, variance 2
  const double key[] = {-2 * r, -2 * r, 1, 0.5 * r - 1, 8 * r + 2};
  const std::int64_t sequences[] = {-1, 1, 0};
  const std::int64_t positions[] = {0, 5, 8};
  for (std::int64_t row : {1, 2}) {
    const auto p = static_cast<double>(positions[row]);
    const double c0 = std::cos(p * 0.5);
    const double s0 = std::sin(p * 0.5);
    const double c1 = std::cos(p * 0.125);
    const double s1 = std::sin(p * 0.125);
    const double cached[] = {key[0] * c0 - key[1] * s0, key[1] * c0 + key[0] * s0,
                             key[2] * c1 - key[3] * s1, key[3] * c1 + key[2] * s1, key[4]};
    const std::int64_t slot = f.batch.Slot(sequences[row], positions[row]);
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(f.cache.At(slot, i), cached[i], HalfStep(page_type, cached[i]) + 3 * 0x1p-24);
    }
    const double query[] = {1 * c0 - 2 * s0, 2 * c0 + 1 * s0, 3 * c1 - 4 * s1, 4 * c1 + 3 * s1, 5,
                            6 * c0 - 7 * s0, 7 * c0 + 6 * s0, 8 * c1 - 9 * s1, 9 * c1 + 8 * s1, 10};
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(f.q.At(row, i), query[i], HalfStep(row_type, query[i]) + 17 * 0x1p-24);
    }
  }
  EXPECT_TRUE(f.q.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, IndexerCacheDTypes,
                         ::testing::Values(std::pair{DType::kF32, DType::kF32},
                                           std::pair{DType::kF32, DType::kBF16},
                                           std::pair{DType::kBF16, DType::kF32},
                                           std::pair{DType::kBF16, DType::kBF16}));

TEST(IndexerCache, PaddingRowIsNotTouched) {
  Fixture f(DType::kF32, DType::kF32);
  IndexerCacheReference(f.args);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(f.q.At(0, i), static_cast<double>(i + 1));
  std::int64_t written = 0;
  for (std::int64_t slot = 0; slot < f.batch.page_count() * kTestPageTokens; ++slot) {
    if (f.cache.At(slot, 4) != 99) ++written;
  }
  EXPECT_EQ(written, 2);
}

TEST(IndexerCache, AKeyOfEqualElementsBecomesTheBias) {
  Fixture f(DType::kF32, DType::kF32);
  f.k.SetRow(2, {7, 7, 7, 7, 7});
  IndexerCacheReference(f.args);
  EXPECT_EQ(f.cache.At(f.batch.Slot(0, 8), 4), 2);
}

TEST(IndexerCache, RopeMayNotBeWiderThanAHead) {
  Fixture f(DType::kF32, DType::kF32);
  f.args.rope.width = 6;
  EXPECT_EQ(CheckIndexerCacheArgs(f.args).error().message,
            "indexer_cache: rope width is 6, must be even, > 0 and <= 5");
}

TEST(IndexerCache, HalfSplitRopeIsRefused) {
  Fixture f(DType::kF32, DType::kF32);
  f.args.rope.interleaved = false;
  EXPECT_EQ(CheckIndexerCacheArgs(f.args).error().message,
            "indexer_cache: rope is half-split, must be interleaved");
}

TEST(IndexerCache, ChecksNameTheArgument) {
  const Fixture f(DType::kF32, DType::kF32);
  IndexerCacheArgs args = f.args;
  args.k.columns = 4;
  EXPECT_EQ(CheckIndexerCacheArgs(args).error().message,
            "indexer_cache: k has 4 columns, must be 5");
  args = f.args;
  args.norm_bias = {};
  EXPECT_EQ(CheckIndexerCacheArgs(args).error().message,
            "indexer_cache: norm_bias is [0, 0], must be [5, 1]");
  args = f.args;
  args.cache.width = 6;
  EXPECT_EQ(CheckIndexerCacheArgs(args).error().message,
            "indexer_cache: cache has width 6, must be 5");
  args = f.args;
  args.heads = 0;
  EXPECT_EQ(CheckIndexerCacheArgs(args).error().message, "indexer_cache: heads is 0, must be > 0");
}

}  // namespace
}  // namespace glint::kernels
