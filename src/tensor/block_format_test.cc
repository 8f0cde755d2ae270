// SPDX-License-Identifier: Apache-2.0
// Each expected value is worked out by hand from section 3.7 of glm-architecture.md.
#include "tensor/block_format.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace glint::tensor {
namespace {

using Bytes = std::vector<std::byte>;

// A block of zeros with binary16 numbers at the given places.
struct HalfAt {
  std::size_t at;
  float value;
};
Bytes Block(WeightFormat format, const std::vector<HalfAt>& halves) {
  Bytes block(static_cast<std::size_t>(BlockOf(format)->bytes));
  for (const HalfAt& half : halves) {
    const std::uint16_t bits = FloatToF16(half.value);
    block[half.at] = std::byte(bits & 0xFF);
    block[half.at + 1] = std::byte(bits >> 8);
  }
  return block;
}

TEST(BlockFormat, Q40HasLowNibblesFirst) {
  Bytes block = Block(WeightFormat::kQ4_0, {{0, 0.5F}});
  block[2 + 3] = std::byte{0xF1};  // element 3: 1, element 19: 15
  EXPECT_EQ(BlockElement(WeightFormat::kQ4_0, block.data(), 3), 0.5 * (1 - 8));
  EXPECT_EQ(BlockElement(WeightFormat::kQ4_0, block.data(), 19), 0.5 * (15 - 8));
  EXPECT_EQ(BlockElement(WeightFormat::kQ4_0, block.data(), 4), 0.5 * -8);
}

TEST(BlockFormat, Q41AddsItsMinimum) {
  Bytes block = Block(WeightFormat::kQ4_1, {{0, 0.5F}, {2, -3.0F}});
  block[4] = std::byte{0x72};
  EXPECT_EQ(BlockElement(WeightFormat::kQ4_1, block.data(), 0), 0.5 * 2 - 3);
  EXPECT_EQ(BlockElement(WeightFormat::kQ4_1, block.data(), 16), 0.5 * 7 - 3);
}

TEST(BlockFormat, Q5TakesItsFifthBitsFromAWord) {
  Bytes block = Block(WeightFormat::kQ5_0, {{0, 2.0F}});
  block[2] = std::byte{0x02};  // of element 1
  block[4] = std::byte{0x02};  // of element 17
  block[6 + 1] = std::byte{0x95};
  EXPECT_EQ(BlockElement(WeightFormat::kQ5_0, block.data(), 1), 2.0 * (16 + 5 - 16));
  EXPECT_EQ(BlockElement(WeightFormat::kQ5_0, block.data(), 17), 2.0 * (16 + 9 - 16));
  EXPECT_EQ(BlockElement(WeightFormat::kQ5_0, block.data(), 0), 2.0 * -16);
  Bytes with_min = Block(WeightFormat::kQ5_1, {{0, 2.0F}, {2, 1.0F}});
  with_min[4] = std::byte{0x02};
  with_min[8 + 1] = std::byte{0x95};
  EXPECT_EQ(BlockElement(WeightFormat::kQ5_1, with_min.data(), 1), 2.0 * 21 + 1);
  EXPECT_EQ(BlockElement(WeightFormat::kQ5_1, with_min.data(), 17), 2.0 * 9 + 1);
}

TEST(BlockFormat, Q80IsSigned) {
  Bytes block = Block(WeightFormat::kQ8_0, {{0, 0.25F}});
  block[2] = std::byte{0x80};
  block[2 + 31] = std::byte{0x7F};
  EXPECT_EQ(BlockElement(WeightFormat::kQ8_0, block.data(), 0), 0.25 * -128);
  EXPECT_EQ(BlockElement(WeightFormat::kQ8_0, block.data(), 31), 0.25 * 127);
}

TEST(BlockFormat, ScalesAndMinimaOfKQuantsAreSixBits) {
  std::array<std::byte, 12> packed{};
  packed[1] = std::byte{0b11'101010};  // sub-block 1's scale, and the top of 5's
  packed[5] = std::byte{0b10'010101};  // sub-block 1's minimum, and the top of 5's
  packed[9] = std::byte{0b0110'1001};  // sub-block 5: minimum, scale
  EXPECT_EQ(UnpackScaleMin(packed.data(), 1).scale, 0b101010);
  EXPECT_EQ(UnpackScaleMin(packed.data(), 1).min, 0b010101);
  EXPECT_EQ(UnpackScaleMin(packed.data(), 5).scale, 0b11'1001);
  EXPECT_EQ(UnpackScaleMin(packed.data(), 5).min, 0b10'0110);
}

TEST(BlockFormat, Q4KAndQ5KSubtractTheMinimum) {
  Bytes block = Block(WeightFormat::kQ4K, {{0, 0.5F}, {2, 0.25F}});
  block[4 + 3] = std::byte{6};           // scale of sub-block 3
  block[4 + 7] = std::byte{5};           // its minimum
  block[16 + 32 + 7] = std::byte{0xC0};  // sub-block 3 has the high nibbles of the second 32
  EXPECT_EQ(BlockElement(WeightFormat::kQ4K, block.data(), 96 + 7), 0.5 * 6 * 12 - 0.25 * 5);
  Bytes five = Block(WeightFormat::kQ5K, {{0, 0.5F}, {2, 0.25F}});
  five[4 + 3] = std::byte{6};
  five[4 + 7] = std::byte{5};
  five[16 + 7] = std::byte{1 << 3};
  five[48 + 32 + 7] = std::byte{0xC0};
  EXPECT_EQ(BlockElement(WeightFormat::kQ5K, five.data(), 96 + 7), 0.5 * 6 * 28 - 0.25 * 5);
}

TEST(BlockFormat, Q6KHasAScaleForSixteen) {
  Bytes block = Block(WeightFormat::kQ6K, {{208, 0.5F}});
  // Element 128 + 64 + 17: second half, third quarter, lane 17: high nibble of ql[64 + 17], bits 4
  // and 5 of qh[32 + 17], scale 8 + 1 + 4.
  block[64 + 17] = std::byte{0xA0};
  block[128 + 32 + 17] = std::byte{0x30};
  block[192 + 13] = std::byte{0xFD};  // -3
  EXPECT_EQ(BlockElement(WeightFormat::kQ6K, block.data(), 209), 0.5 * -3 * (0x3A - 32));
}

TEST(BlockFormat, Mxfp4BlockBeginsWithItsExponent) {
  Bytes block(17);
  block[0] = std::byte{128};
  block[1] = std::byte{0x7F};
  EXPECT_EQ(BlockElement(WeightFormat::kMxfp4Block, block.data(), 0), -12.0);
  EXPECT_EQ(BlockElement(WeightFormat::kMxfp4Block, block.data(), 16), 12.0);
}

TEST(BlockFormat, AMatrixIsRowsOfBlocks) {
  constexpr WeightFormat kFormat = WeightFormat::kQ8_0;
  Bytes data;
  for (int block = 0; block < 4; ++block) {
    Bytes one = Block(kFormat, {{0, static_cast<float>(block + 1)}});
    one[2 + 5] = std::byte{10};
    data.insert(data.end(), one.begin(), one.end());
  }
  const WeightView view{kFormat, 2, 64, {DType::kU8, {2, 68}, data.data()}, {}, 0};
  EXPECT_EQ(WeightElement(view, 0, 5), 10);
  EXPECT_EQ(WeightElement(view, 1, 32 + 5), 40);
  EXPECT_EQ(WeightBytes(view), 136);
  std::array<float, 32> out{};
  DecodeBlock(kFormat, data.data() + 34, out.data());
  EXPECT_EQ(out[5], 20.0F);
}

}  // namespace
}  // namespace glint::tensor
