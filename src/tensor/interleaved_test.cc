// SPDX-License-Identifier: Apache-2.0
#include "tensor/interleaved.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensor/block_format.h"
#include "tensor/internal/test_matrix.h"

namespace glint::tensor {
namespace {

TestMatrix MakeMatrix(WeightFormat format, std::int64_t rows, std::int64_t columns) {
  const DType scale = format == WeightFormat::kInt4Group ? DType::kBF16 : DType::kF32;
  return MakeTestMatrix(format, rows, columns, DType::kBF16, scale);
}

class Interleaved : public testing::TestWithParam<WeightFormat> {};

TEST_P(Interleaved, HoldsTheSameNumbers) {
  const TestMatrix matrix = MakeMatrix(GetParam(), 24, 512);
  ASSERT_TRUE(CanInterleave(matrix.view));
  WeightView view = InterleavedView(matrix.view, nullptr);
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.data.ByteCount()));
  for (std::int64_t row = 0; row < 24; row += 8) InterleaveRows(matrix.view, row, bytes.data());
  view.data.data = bytes.data();
  for (std::int64_t row = 0; row < 24; ++row) {
    for (std::int64_t column = 0; column < 512; ++column) {
      ASSERT_EQ(WeightElement(view, row, column), WeightElement(matrix.view, row, column))
          << row << " " << column;
    }
  }
}

TEST_P(Interleaved, NeedsEightRowsAndWholeBlocks) {
  const TestMatrix matrix = MakeMatrix(GetParam(), 8, 512);
  WeightView view = matrix.view;
  view.rows = 12;
  EXPECT_FALSE(CanInterleave(view));
  view.rows = 8;
  view.columns = 528;
  EXPECT_FALSE(CanInterleave(view));
}

INSTANTIATE_TEST_SUITE_P(Formats, Interleaved,
                         testing::Values(WeightFormat::kQ4_0, WeightFormat::kQ4_1,
                                         WeightFormat::kQ5_0, WeightFormat::kQ5_1,
                                         WeightFormat::kQ8_0, WeightFormat::kQ4K,
                                         WeightFormat::kQ5K, WeightFormat::kQ6K,
                                         WeightFormat::kMxfp4, WeightFormat::kMxfp4Block,
                                         WeightFormat::kInt4Group, WeightFormat::kInt8Channel));

TEST(InterleavedBlock, TakesWhatTheStoredOneTookButForSixBitScales) {
  for (const WeightFormat format :
       {WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ5_0, WeightFormat::kQ5_1,
        WeightFormat::kQ8_0, WeightFormat::kQ6K, WeightFormat::kMxfp4Block}) {
    EXPECT_EQ(InterleavedBlockOf(format, 0)->bytes, 8 * BlockOf(format)->bytes);
  }
  EXPECT_EQ(InterleavedBlockOf(WeightFormat::kQ4K, 0)->bytes, 8 * 148);
  EXPECT_FALSE(InterleavedBlockOf(WeightFormat::kPlain, 0).has_value());
  EXPECT_EQ(InterleavedBlockOf(WeightFormat::kQ5K, 0)->bytes, 8 * 180);
}

}  // namespace
}  // namespace glint::tensor
