// SPDX-License-Identifier: Apache-2.0
#include "tensor/read_row.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tensor/internal/test_matrix.h"

namespace glint::tensor {
namespace {

template <typename T>
bool SameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

void ExpectElementsOf(const WeightView& weight) {
  std::vector<float> floats(static_cast<std::size_t>(weight.columns));
  std::vector<double> exact(floats.size());
  for (std::int64_t row = 0; row < weight.rows; ++row) {
    ReadRow(weight, row, floats.data());
    ReadRowExact(weight, row, exact.data());
    for (std::int64_t column = 0; column < weight.columns; ++column) {
      const double element = WeightElement(weight, row, column);
      const auto i = static_cast<std::size_t>(column);
      ASSERT_TRUE(SameBits(exact[i], element)) << row << " " << column << ": " << element;
      ASSERT_TRUE(SameBits(floats[i], static_cast<float>(element))) << row << " " << column;
    }
  }
}

class ReadRowTest : public testing::TestWithParam<int> {};

TEST_P(ReadRowTest, GivesTheElementsBitForBit) {
  for (const DType scale : {DType::kF32, DType::kBF16}) {
    ExpectElementsOf(
        MakeTestMatrix(static_cast<WeightFormat>(GetParam()), 131, 768, DType::kBF16, scale).view);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ReadRowTest,
                         testing::Range(1, static_cast<int>(WeightFormat::kMxfp4Block) + 1));

TEST(ReadRow, OfPlainRowsOfEachType) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3}) {
    ExpectElementsOf(MakeTestMatrix(WeightFormat::kPlain, 3, 77, dtype).view);
  }
}

TEST(ReadRow, OfFp8WhoseColumnsAreNoWholeBlocks) {
  ExpectElementsOf(MakeTestMatrix(WeightFormat::kFp8Block, 5, 200).view);
}

TEST(LoadElements, BeginsInTheMiddle) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    const TestMatrix matrix = MakeTestMatrix(WeightFormat::kPlain, 3, 77, dtype);
    std::vector<float> out(9);
    LoadElements(dtype, matrix.view.data.data, 80, 9, out.data());
    for (std::int64_t i = 0; i < 9; ++i) {
      EXPECT_EQ(out[static_cast<std::size_t>(i)], matrix.view.data.At(80 + i));
    }
  }
}

TEST(StoreElements, RoundsAsStoreElementDoes) {
  const std::vector<double> values = {1.0 / 3, -2.5, 0,     -0.0,
                                      1e-40,   1e39, 65520, 1 + 0x1p-8 + 0x1p-40};
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    std::vector<std::byte> many(64);
    std::vector<std::byte> single(64);
    StoreElements(dtype, values.data(), 8, many.data(), 3);
    for (std::int64_t i = 0; i < 8; ++i) {
      StoreElement(dtype, single.data(), 3 + i, values[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(many, single) << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace glint::tensor
