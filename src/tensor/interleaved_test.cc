// SPDX-License-Identifier: Apache-2.0
#include "tensor/interleaved.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "tensor/block_format.h"

namespace glint::tensor {
namespace {

// A matrix of random bytes in a format: every code and every scale that the bits can say, but for
// numbers that are not finite.
struct RandomMatrix {
  std::vector<std::byte> data;
  std::vector<std::uint16_t> bf16;
  std::vector<std::uint8_t> exponents;
  std::vector<float> channel;
  WeightView view;
};

RandomMatrix MakeMatrix(WeightFormat format, std::int64_t rows, std::int64_t columns,
                        std::int64_t group) {
  std::mt19937 random(static_cast<unsigned>(format) + 7);
  RandomMatrix made;
  made.view = {format, rows, columns, {}, {}, group};
  made.view.data.dtype = format == WeightFormat::kInt8Channel ? DType::kI8 : DType::kU8;
  made.view.data.shape = {rows, DataPerRow(made.view)};
  made.data.resize(static_cast<std::size_t>(rows * DataPerRow(made.view)));
  for (std::byte& byte : made.data) byte = std::byte(random() & 0xFF);
  if (const auto block = BlockOf(format)) {
    // Binary16 numbers with the exponent's top bit clear are finite; MXFP4's first byte is none.
    const std::vector<std::int64_t> halves =
        format == WeightFormat::kMxfp4Block ? std::vector<std::int64_t>{}
        : format == WeightFormat::kQ6K      ? std::vector<std::int64_t>{208}
                                            : std::vector<std::int64_t>{0, 2};
    for (std::size_t at = 0; at < made.data.size(); at += static_cast<std::size_t>(block->bytes)) {
      for (const std::int64_t half : halves) {
        made.data[at + static_cast<std::size_t>(half) + 1] &= std::byte{0xBF};
      }
      if (format == WeightFormat::kMxfp4Block) made.data[at] &= std::byte{0x7F};
    }
  }
  const std::int64_t scales = format == WeightFormat::kInt4Group ? rows * columns / group
                              : format == WeightFormat::kMxfp4   ? rows * columns / 32
                                                                 : rows;
  for (std::int64_t i = 0; i < scales; ++i) {
    made.bf16.push_back(FloatToBf16(static_cast<float>(i + 1)));
    made.exponents.push_back(static_cast<std::uint8_t>(random() % 255));
    made.channel.push_back(0.5F * static_cast<float>(i + 1));
  }
  if (format == WeightFormat::kInt4Group) {
    made.view.scales = {DType::kBF16, {scales}, reinterpret_cast<std::byte*>(made.bf16.data())};
  } else if (format == WeightFormat::kMxfp4) {
    made.view.scales = {
        DType::kF8E8M0, {scales}, reinterpret_cast<std::byte*>(made.exponents.data())};
  } else if (format == WeightFormat::kInt8Channel) {
    made.view.scales = {DType::kF32, {scales}, reinterpret_cast<std::byte*>(made.channel.data())};
  }
  made.view.data.data = made.data.data();
  return made;
}

class Interleaved : public testing::TestWithParam<WeightFormat> {};

TEST_P(Interleaved, HoldsTheSameNumbers) {
  const std::int64_t group = GetParam() == WeightFormat::kInt4Group ? 64 : 0;
  const RandomMatrix matrix = MakeMatrix(GetParam(), 24, 512, group);
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
  const std::int64_t group = GetParam() == WeightFormat::kInt4Group ? 64 : 0;
  WeightView view = MakeMatrix(GetParam(), 8, 512, group).view;
  view.rows = 12;
  EXPECT_FALSE(CanInterleave(view));
  view.rows = 8;
  view.columns = 528;
  EXPECT_FALSE(CanInterleave(view));
}

INSTANTIATE_TEST_SUITE_P(Formats, Interleaved,
                         testing::Values(WeightFormat::kQ4_0, WeightFormat::kQ4_1,
                                         WeightFormat::kQ8_0, WeightFormat::kQ4K,
                                         WeightFormat::kQ6K, WeightFormat::kMxfp4,
                                         WeightFormat::kMxfp4Block, WeightFormat::kInt4Group,
                                         WeightFormat::kInt8Channel));

TEST(InterleavedBlock, TakesWhatTheStoredOneTookButForQ4K) {
  for (const WeightFormat format : {WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ8_0,
                                    WeightFormat::kQ6K, WeightFormat::kMxfp4Block}) {
    EXPECT_EQ(InterleavedBlockOf(format, 0)->bytes, 8 * BlockOf(format)->bytes);
  }
  EXPECT_EQ(InterleavedBlockOf(WeightFormat::kQ4K, 0)->bytes, 8 * 148);
  EXPECT_FALSE(InterleavedBlockOf(WeightFormat::kPlain, 0).has_value());
  EXPECT_FALSE(InterleavedBlockOf(WeightFormat::kQ5K, 0).has_value());
}

}  // namespace
}  // namespace glint::tensor
