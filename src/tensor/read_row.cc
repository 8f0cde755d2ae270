// SPDX-License-Identifier: Apache-2.0
#include "tensor/read_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "tensor/block_format.h"
#include "tensor/internal/block_codes.h"
#include "tensor/internal/decode_block.h"
#include "tensor/internal/round_to_odd.h"

namespace glint::tensor {
namespace {

constexpr std::int64_t kFp8BlockSize = 128;
constexpr std::int64_t kMxfp4Group = 32;

template <typename T>
T Load(const std::byte* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename Out>
void LoadPlain(DType dtype, const std::byte* data, std::int64_t first, std::int64_t count,
               Out* out) {
  switch (dtype) {
    case DType::kF32:
      for (std::int64_t i = 0; i < count; ++i) out[i] = Load<float>(data, first + i);
      return;
    case DType::kF16:
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = F16ToFloat(Load<std::uint16_t>(data, first + i));
      }
      return;
    case DType::kBF16:
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = Load<std::uint16_t>(data, first + i);
        out[i] = std::bit_cast<float>(bits << 16);
      }
      return;
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Out>(LoadElement(dtype, data, first + i));
      }
  }
}

const std::array<float, 256>& E4M3Values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < 256; ++i) made[i] = E4M3ToFloat(static_cast<std::uint8_t>(i));
    return made;
  }();
  return values;
}

// E4M3, `group` columns to a scale.
template <typename Out>
void ReadFp8(const WeightView& weight, std::int64_t row, std::int64_t scale, std::int64_t group,
             Out* out) {
  const std::array<float, 256>& values = E4M3Values();
  const std::byte* data = weight.data.data + row * weight.columns;
  for (std::int64_t begin = 0; begin < weight.columns; begin += group, ++scale) {
    const double by = weight.scales.At(scale);
    const std::int64_t end = std::min(weight.columns, begin + group);
    for (std::int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<Out>(double{values[static_cast<std::size_t>(data[i])]} * by);
    }
  }
}

template <typename Out>
void ReadInt8(const WeightView& weight, std::int64_t row, Out* out) {
  const std::byte* data = weight.data.data + row * weight.columns;
  const double by = weight.scales.At(row);
  for (std::int64_t i = 0; i < weight.columns; ++i) {
    out[i] = static_cast<Out>(static_cast<std::int8_t>(data[i]) * by);
  }
}

// Packed nibbles whose values are those of `value`, `group` columns (whole parts) to a scale.
template <typename Out>
void ReadNibbles(const WeightView& weight, std::int64_t row, std::int64_t group,
                 const std::array<double, 16>& value, Out* out) {
  const std::byte* data = weight.data.data + row * (weight.columns / 2);
  const std::int64_t scales = row * (weight.columns / group);
  for (std::int64_t begin = 0; begin < weight.columns; begin += kPartColumns) {
    const double by = weight.scales.At(scales + begin / group);
    const PartCodes codes = UnpackPacked(data + begin / 2);
    for (std::int64_t i = 0; i < kPartColumns; ++i) {
      out[begin + i] = static_cast<Out>(value[codes[static_cast<std::size_t>(i)]] * by);
    }
  }
}

template <typename Out>
void ReadInt4(const WeightView& weight, std::int64_t row, Out* out) {
  std::array<double, 16> value{};
  for (std::size_t i = 0; i < 16; ++i) value[i] = static_cast<double>(i) - 8;
  ReadNibbles(weight, row, weight.group, value, out);
}

template <typename Out>
void ReadMxfp4(const WeightView& weight, std::int64_t row, Out* out) {
  std::array<double, 16> value{};
  for (std::size_t i = 0; i < 16; ++i) value[i] = E2M1ToFloat(static_cast<std::uint8_t>(i));
  ReadNibbles(weight, row, kMxfp4Group, value, out);
}

template <typename Out>
void ReadBlocks(const WeightView& weight, std::int64_t row, Out* out) {
  const auto block = BlockOf(weight.format);
  GLINT_CHECK(block.has_value(), "known weight format");
  const std::byte* at = weight.data.data + row * DataPerRow(weight);
  for (std::int64_t column = 0; column < weight.columns; column += block->elements) {
    DecodeBlockAs(weight.format, at, out + column);
    at += block->bytes;
  }
}

template <typename Out>
void ReadAs(const WeightView& weight, std::int64_t row, Out* out) {
  if (weight.layout != WeightLayout::kRows) {
    for (std::int64_t column = 0; column < weight.columns; ++column) {
      out[column] = static_cast<Out>(WeightElement(weight, row, column));
    }
    return;
  }
  const std::int64_t scales = (weight.columns + kFp8BlockSize - 1) / kFp8BlockSize;
  switch (weight.format) {
    case WeightFormat::kPlain:
      return LoadPlain(weight.data.dtype, weight.data.data, row * weight.columns, weight.columns,
                       out);
    case WeightFormat::kFp8Block:
      return ReadFp8(weight, row, row / kFp8BlockSize * scales, kFp8BlockSize, out);
    case WeightFormat::kFp8Channel:
      return ReadFp8(weight, row, row, weight.columns, out);
    case WeightFormat::kInt8Channel:
      return ReadInt8(weight, row, out);
    case WeightFormat::kInt4Group:
      return ReadInt4(weight, row, out);
    case WeightFormat::kMxfp4:
      return ReadMxfp4(weight, row, out);
    default:
      return ReadBlocks(weight, row, out);
  }
}

}  // namespace

void ReadRow(const WeightView& weight, std::int64_t row, float* out) { ReadAs(weight, row, out); }

void ReadRowExact(const WeightView& weight, std::int64_t row, double* out) {
  ReadAs(weight, row, out);
}

void LoadElements(DType dtype, const void* data, std::int64_t first, std::int64_t count,
                  float* out) {
  LoadPlain(dtype, static_cast<const std::byte*>(data), first, count, out);
}

void StoreElements(DType dtype, const double* values, std::int64_t count, void* data,
                   std::int64_t first) {
  if (dtype == DType::kBF16) {
    auto* to = static_cast<std::byte*>(data) + 2 * first;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint16_t bits = Bf16Of(values[i]);
      std::memcpy(to + 2 * i, &bits, sizeof(bits));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) StoreElement(dtype, data, first + i, values[i]);
}

}  // namespace glint::tensor
