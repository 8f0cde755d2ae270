// SPDX-License-Identifier: Apache-2.0
#include "tensor/weight_view.h"

#include <gtest/gtest.h>

#include <vector>

namespace glint::tensor {
namespace {

TensorView View(DType dtype, Shape shape, const void* data) {
  return {dtype, shape, static_cast<const std::byte*>(data)};
}

// An FP8 block matrix whose every scale differs, so that a wrong block gives a wrong value.
class Fp8Blocks {
 public:
  Fp8Blocks(std::int64_t rows, std::int64_t columns)
      : columns_(columns), scale_columns_((columns + 127) / 128) {
    const std::int64_t scale_rows = (rows + 127) / 128;
    scales_.reserve(static_cast<std::size_t>(scale_rows * scale_columns_));
    codes_.resize(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i] = static_cast<std::uint8_t>(i % 0x7F);
    for (std::int64_t i = 0; i < scale_rows * scale_columns_; ++i) {
      scales_.push_back(static_cast<float>(i + 1));
    }
    view_ = {WeightFormat::kFp8Block, rows, columns,
             View(DType::kF8E4M3, {rows, columns}, codes_.data()),
             View(DType::kF32, {scale_rows, scale_columns_}, scales_.data())};
  }

  // True when the element is code times the scale of row block `row_block`.
  [[nodiscard]] bool UsesRowBlock(std::int64_t row, std::int64_t column,
                                  std::int64_t row_block) const {
    const double code = E4M3ToFloat(codes_[static_cast<std::size_t>(row * columns_ + column)]);
    const std::int64_t number = row_block * scale_columns_ + column / 128 + 1;
    const auto scale = static_cast<double>(number);
    return WeightElement(view_, row, column) == code * scale;
  }

  [[nodiscard]] const WeightView& view() const { return view_; }

 private:
  std::int64_t columns_;
  std::int64_t scale_columns_;
  std::vector<std::uint8_t> codes_;
  std::vector<float> scales_;
  WeightView view_;
};

// glm-architecture.md, section 7 item 7. A head of kv_b is 192 rows of keys and 256 of values, so
// most borders of heads do not lie on borders of scale blocks.
TEST(WeightView, Fp8KvBUsesTheBlockOfEachRowAroundHeadBorders) {
  const Fp8Blocks kv_b(std::int64_t{64} * 448, 512);
  EXPECT_EQ(kv_b.view().scales.shape, (Shape{224, 4}));
  for (std::int64_t head = 0; head < 64; ++head) {
    for (const std::int64_t border : {448 * head, 448 * head + 192}) {
      const std::int64_t block = border / 128;
      for (const std::int64_t k : {block, block + 1}) {
        for (const std::int64_t column : {0, 127, 128, 511}) {
          if (k > 0) {
            ASSERT_TRUE(kv_b.UsesRowBlock(128 * k - 1, column, k - 1)) << k << " " << column;
          }
          if (k < 224) {
            ASSERT_TRUE(kv_b.UsesRowBlock(128 * k, column, k)) << k << " " << column;
          }
          ASSERT_TRUE(kv_b.UsesRowBlock(border, column, block)) << border << " " << column;
        }
      }
    }
  }
}

TEST(WeightView, Fp8KvALastRowBlockHas64Rows) {
  const Fp8Blocks kv_a(576, 6144);
  EXPECT_EQ(kv_a.view().scales.shape, (Shape{5, 48}));
  for (const std::int64_t column : {0, 6016, 6143}) {
    EXPECT_TRUE(kv_a.UsesRowBlock(511, column, 3)) << column;
    EXPECT_TRUE(kv_a.UsesRowBlock(512, column, 4)) << column;
    EXPECT_TRUE(kv_a.UsesRowBlock(575, column, 4)) << column;
  }
}

TEST(WeightView, Fp8PartialColumnBlockCountsAsABlock) {
  const Fp8Blocks narrow(130, 200);
  EXPECT_EQ(narrow.view().scales.shape, (Shape{2, 2}));
  EXPECT_TRUE(narrow.UsesRowBlock(129, 199, 1));
  EXPECT_TRUE(narrow.UsesRowBlock(127, 128, 0));
}

// glm-architecture.md, section 7 item 8.
TEST(WeightView, Fp4Byte0x72IsOneAndSixSideBySide) {
  std::vector<std::uint8_t> bytes(32, 0);
  bytes[17] = 0x72;
  const std::uint8_t scales[] = {127, 127};
  const WeightView weight = {WeightFormat::kMxfp4, 2, 32, View(DType::kU8, {2, 16}, bytes.data()),
                             View(DType::kF8E8M0, {2, 1}, scales)};
  EXPECT_EQ(WeightElement(weight, 1, 2), 1.0);
  EXPECT_EQ(WeightElement(weight, 1, 3), 6.0);
  EXPECT_EQ(WeightElement(weight, 0, 2), 0.0);
}

TEST(WeightView, Mxfp4ScaleIsOfThe32ColumnsAround) {
  const std::vector<std::uint8_t> bytes(64, 0xAA);  // -1, -1
  const std::uint8_t scales[] = {127, 128, 126, 130};
  const WeightView weight = {WeightFormat::kMxfp4, 2, 64, View(DType::kU8, {2, 32}, bytes.data()),
                             View(DType::kF8E8M0, {2, 2}, scales)};
  EXPECT_EQ(WeightElement(weight, 0, 31), -1.0);
  EXPECT_EQ(WeightElement(weight, 0, 32), -2.0);
  EXPECT_EQ(WeightElement(weight, 1, 31), -0.5);
  EXPECT_EQ(WeightElement(weight, 1, 63), -8.0);
}

// Element 8a+b of a row is bits 4b..4b+3 of the little-endian word a: bytes with the low nibble
// first.
TEST(WeightView, Int4WordsReadAsBytesLowNibbleFirst) {
  std::vector<std::uint32_t> words(8, 0x88888888U);  // [2 rows, 32 / 8], all zero
  words[5] = 0xFEDCBA90U;
  const float scales[] = {1, 0.5F};
  const WeightView weight = {
      WeightFormat::kInt4Group,          2, 32, View(DType::kU8, {2, 16}, words.data()),
      View(DType::kF32, {2, 1}, scales), 32};
  const double expected[] = {-8, 1, 2, 3, 4, 5, 6, 7};
  for (int b = 0; b < 8; ++b) {
    EXPECT_EQ(WeightElement(weight, 1, 8 + b), 0.5 * expected[b]) << b;
    EXPECT_EQ(WeightElement(weight, 0, 8 + b), 0.0) << b;
  }
}

TEST(WeightView, ChannelScalesAreOfTheRow) {
  const std::int8_t numbers[] = {-128, 127, 3, -4};
  const std::uint16_t scales[] = {FloatToBf16(0.5F), FloatToBf16(2)};
  WeightView weight = {WeightFormat::kInt8Channel, 2, 2, View(DType::kI8, {2, 2}, numbers),
                       View(DType::kBF16, {2, 1}, scales)};
  EXPECT_EQ(WeightElement(weight, 0, 0), -64.0);
  EXPECT_EQ(WeightElement(weight, 1, 1), -8.0);
  const std::uint8_t codes[] = {0x38, 0x7E, 0xB8, 0x01};
  weight.format = WeightFormat::kFp8Channel;
  weight.data = View(DType::kF8E4M3, {2, 2}, codes);
  EXPECT_EQ(WeightElement(weight, 0, 1), 224.0);
  EXPECT_EQ(WeightElement(weight, 1, 0), -2.0);
}

TEST(WeightView, BytesAreThoseOfNumbersAndScales) {
  EXPECT_EQ(WeightBytes(Fp8Blocks(576, 256).view()), 576 * 256 + 5 * 2 * 4);
  const std::uint16_t numbers[6] = {};
  EXPECT_EQ(WeightBytes({WeightFormat::kPlain, 2, 3, View(DType::kBF16, {2, 3}, numbers), {}}), 12);
}

TEST(WeightView, EveryFormatHasAName) {
  EXPECT_STREQ(WeightFormatName(WeightFormat::kPlain), "plain");
  EXPECT_STREQ(WeightFormatName(WeightFormat::kMxfp4), "mxfp4");
}

}  // namespace
}  // namespace glint::tensor
