// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "model/internal/convert_weight.h"
#include "tensor/block_format.h"
#include "tensor/encode_block.h"
#include "tensor/interleaved.h"

namespace glint::model {
namespace {

using tensor::DType;
using tensor::WeightFormat;
using tensor::WeightView;

// Numbers of three significant digits and any sign, in `dtype`.
std::vector<std::byte> Numbers(const WeightView& view) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.data.ByteCount()));
  for (std::int64_t i = 0; i < view.rows * view.columns; ++i) {
    tensor::StoreElement(view.data.dtype, bytes.data(), i, std::sin(static_cast<double>(i * i)));
  }
  return bytes;
}

// What ConvertRows makes of a plain matrix, a number at a time: `element` is what it reads.
template <typename Element>
std::vector<std::byte> Expected(const WeightView& to, const Element& element) {
  const auto block = tensor::BlockOf(to.format);
  WeightView rows = BlockRows(to.rows, to.columns, to.format);
  std::vector<std::byte> blocks(static_cast<std::size_t>(rows.data.ByteCount()));
  std::vector<float> values(static_cast<std::size_t>(block->elements));
  std::byte* at = blocks.data();
  for (std::int64_t i = 0; i < to.rows * to.columns; i += block->elements, at += block->bytes) {
    for (std::int64_t j = 0; j < block->elements; ++j) {
      const std::int64_t row = (i + j) / to.columns;
      values[static_cast<std::size_t>(j)] = static_cast<float>(element(row, (i + j) % to.columns));
    }
    tensor::EncodeBlock(to.format, values.data(), at);
  }
  rows.data.data = blocks.data();
  std::vector<std::byte> out(static_cast<std::size_t>(to.data.ByteCount()));
  for (std::int64_t row = 0; row < to.rows; row += 8) {
    tensor::InterleaveRows(rows, row, out.data());
  }
  return out;
}

TEST(ConvertRows, RoundsEachTypeToEachBlockFormat) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    WeightView from = PlainView(24, 512, dtype);
    const std::vector<std::byte> data = Numbers(from);
    from.data.data = data.data();
    for (const char* name : {"q8_0", "q4_0", "q4_k", "q6_k", "mxfp4"}) {
      const WeightView rows = BlockRows(24, 512, *tensor::ParseBlockFormat(name));
      WeightView to = tensor::InterleavedView(rows, nullptr);
      std::vector<std::byte> made(static_cast<std::size_t>(to.data.ByteCount()));
      to.data.data = made.data();
      const Conversion one{.from = from, .to = to, .slot = WeightSlot::kO};
      ASSERT_TRUE(ConvertRows(one, 8, 24));
      ASSERT_TRUE(ConvertRows(one, 0, 8));
      EXPECT_EQ(made, Expected(to,
                               [&](std::int64_t row, std::int64_t column) {
                                 return tensor::WeightElement(from, row, column);
                               }))
          << name << " " << tensor::DTypeName(dtype);
    }
  }
}

TEST(ConvertRows, MakesTheHalvesOfKvB) {
  spec::MlaSpec mla;
  mla.kv_lora_rank = 64;
  mla.nope_dim = 96;
  mla.v_dim = 32;
  WeightView from = PlainView(256, 64, DType::kBF16);
  const std::vector<std::byte> data = Numbers(from);
  from.data.data = data.data();
  const auto make = [&](WeightSlot slot, std::int64_t rows, std::int64_t columns,
                        const auto& element) {
    WeightView to = tensor::InterleavedView(BlockRows(rows, columns, WeightFormat::kQ4_0), nullptr);
    std::vector<std::byte> made(static_cast<std::size_t>(to.data.ByteCount()));
    to.data.data = made.data();
    ASSERT_TRUE(ConvertRows({.from = from, .to = to, .slot = slot, .mla = mla}, 0, rows));
    EXPECT_EQ(made, Expected(to, element));
  };
  make(WeightSlot::kKB, std::int64_t{2} * 64, 96, [&](std::int64_t row, std::int64_t column) {
    return tensor::WeightElement(from, row / 64 * 128 + column, row % 64);
  });
  make(WeightSlot::kVB, std::int64_t{2} * 32, 64, [&](std::int64_t row, std::int64_t column) {
    return tensor::WeightElement(from, row / 32 * 128 + 96 + row % 32, column);
  });
}

TEST(ConvertRows, DequantisesRowsToPlain) {
  WeightView from = BlockRows(3, 512, WeightFormat::kQ5K);
  std::vector<std::byte> data(static_cast<std::size_t>(from.data.ByteCount()));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte((i * i * 7) & 0x3F);
  from.data.data = data.data();
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    WeightView to = PlainView(3, 512, dtype);
    std::vector<std::byte> made(static_cast<std::size_t>(to.data.ByteCount()));
    std::vector<std::byte> expected(made.size());
    to.data.data = made.data();
    ASSERT_TRUE(ConvertRows({.from = from, .to = to}, 0, 3));
    for (std::int64_t i = 0; i < std::int64_t{3} * 512; ++i) {
      tensor::StoreElement(dtype, expected.data(), i,
                           tensor::WeightElement(from, i / 512, i % 512));
    }
    EXPECT_EQ(made, expected);
  }
}

TEST(ConvertRows, RefusesAScaleThatIsNotFinite) {
  WeightView from = BlockRows(8, 64, WeightFormat::kQ4_1);
  std::vector<std::byte> data(static_cast<std::size_t>(from.data.ByteCount()));
  from.data.data = data.data();
  WeightView to = tensor::InterleavedView(from, nullptr);
  std::vector<std::byte> made(static_cast<std::size_t>(to.data.ByteCount()));
  to.data.data = made.data();
  const Conversion one{.from = from, .to = to, .slot = WeightSlot::kO};
  EXPECT_TRUE(ConvertRows(one, 0, 8));
  data[data.size() - 20 + 3] = std::byte{0x7C};  // the last block's minimum is infinity
  EXPECT_FALSE(ConvertRows(one, 0, 8));
}

}  // namespace
}  // namespace glint::model
