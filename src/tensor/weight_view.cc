// SPDX-License-Identifier: Apache-2.0
#include "tensor/weight_view.h"

#include "base/check.h"
#include "tensor/block_format.h"
#include "tensor/interleaved.h"

namespace glint::tensor {
namespace {

constexpr std::int64_t kFp8BlockSize = 128;
constexpr std::int64_t kMxfp4Group = 32;

std::uint8_t Nibble(const WeightView& weight, std::int64_t row, std::int64_t column) {
  const std::int64_t byte_index = row * (weight.columns / 2) + column / 2;
  const auto byte = static_cast<std::uint8_t>(weight.data.data[byte_index]);
  return column % 2 == 0 ? static_cast<std::uint8_t>(byte & 0xF)
                         : static_cast<std::uint8_t>(byte >> 4);
}

double ElementOfBlocks(const WeightView& weight, std::int64_t row, std::int64_t column) {
  const auto shape = BlockOf(weight.format);
  GLINT_CHECK(shape.has_value(), "known weight format");
  const std::int64_t block = row * (weight.columns / shape->elements) + column / shape->elements;
  return BlockElement(weight.format, weight.data.data + block * shape->bytes,
                      column % shape->elements);
}

}  // namespace

const char* WeightFormatName(WeightFormat format) {
  constexpr const char* kNames[] = {"plain",      "fp8 block 128", "fp8 channel", "int8 channel",
                                    "int4 group", "mxfp4",         "Q4_0",        "Q4_1",
                                    "Q5_0",       "Q5_1",          "Q8_0",        "Q4_K",
                                    "Q5_K",       "Q6_K",          "MXFP4"};
  return kNames[static_cast<int>(format)];
}

std::int64_t DataPerRow(const WeightView& weight) {
  if (weight.layout == WeightLayout::kInterleaved8) {
    const auto shape = InterleavedBlockOf(weight.format, weight.group);
    GLINT_CHECK(shape.has_value(), "a format that is interleaved");
    return weight.columns / shape->columns * (shape->bytes / kInterleavedRows);
  }
  if (const auto shape = BlockOf(weight.format)) {
    return weight.columns / shape->elements * shape->bytes;
  }
  const bool packed =
      weight.format == WeightFormat::kInt4Group || weight.format == WeightFormat::kMxfp4;
  return packed ? weight.columns / 2 : weight.columns;
}

double WeightElement(const WeightView& weight, std::int64_t row, std::int64_t column) {
  if (weight.layout == WeightLayout::kInterleaved8) {
    return InterleavedElement(weight, row, column);
  }
  const std::int64_t at = row * weight.columns + column;
  switch (weight.format) {
    case WeightFormat::kPlain:
      return weight.data.At(at);
    case WeightFormat::kFp8Block: {
      const std::int64_t blocks = (weight.columns + kFp8BlockSize - 1) / kFp8BlockSize;
      return weight.data.At(at) *
             weight.scales.At(row / kFp8BlockSize * blocks + column / kFp8BlockSize);
    }
    case WeightFormat::kFp8Channel:
    case WeightFormat::kInt8Channel:
      return weight.data.At(at) * weight.scales.At(row);
    case WeightFormat::kInt4Group:
      return (Nibble(weight, row, column) - 8) *
             weight.scales.At(row * (weight.columns / weight.group) + column / weight.group);
    case WeightFormat::kMxfp4:
      return E2M1ToFloat(Nibble(weight, row, column)) *
             weight.scales.At(row * (weight.columns / kMxfp4Group) + column / kMxfp4Group);
    default:
      return ElementOfBlocks(weight, row, column);
  }
}

std::int64_t WeightBytes(const WeightView& weight) {
  const std::int64_t scales = weight.scales.data == nullptr ? 0 : weight.scales.ByteCount();
  return weight.data.ByteCount() + scales;
}

}  // namespace glint::tensor
