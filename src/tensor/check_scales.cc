// SPDX-License-Identifier: Apache-2.0
// CheckScales of stored_weight.h and BlockScalesAreFinite of block_format.h. A model has up to 2^35
// scales, so each type has its own loop.
#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "tensor/block_format.h"
#include "tensor/stored_weight.h"

namespace glint::tensor {
namespace {

// Index of the first element that is not finite and > 0, or `count`. A positive finite number's
// bits are those from 1 (the smallest subnormal) to below `infinity`.
template <typename Bits>
std::int64_t FirstBad(const std::byte* data, std::int64_t count, Bits infinity) {
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits = 0;
    std::memcpy(&bits, data + i * static_cast<std::int64_t>(sizeof(Bits)), sizeof(Bits));
    if (bits == 0 || bits >= infinity) return i;
  }
  return count;
}

std::int64_t FirstNanExponent(const std::byte* data, std::int64_t count) {
  const void* found = std::memchr(data, 0xFF, static_cast<std::size_t>(count));
  return found == nullptr ? count : static_cast<const std::byte*>(found) - data;
}

std::int64_t FirstBadScale(const TensorView& scales) {
  const std::int64_t count = scales.shape.ElementCount();
  switch (scales.dtype) {
    case DType::kF32:
      return FirstBad<std::uint32_t>(scales.data, count, 0x7F800000U);
    case DType::kBF16:
      return FirstBad<std::uint16_t>(scales.data, count, 0x7F80U);
    case DType::kF8E8M0:
      return FirstNanExponent(scales.data, count);
    default:
      CheckFailed("a type of scales", DTypeName(scales.dtype));
  }
}

bool IsFiniteHalf(const std::byte* at) {
  return (static_cast<unsigned>(at[1]) & 0x7C) != 0x7C;  // little-endian; the exponent's five bits
}

// The binary16 numbers of a block: where the first is, and whether another one follows.
struct Halves {
  std::int64_t at = 0;
  bool pair = false;
};

Halves HalvesOf(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ6K:
      return {.at = 208, .pair = false};
    case WeightFormat::kQ4_0:
    case WeightFormat::kQ5_0:
    case WeightFormat::kQ8_0:
      return {.at = 0, .pair = false};
    default:
      return {.at = 0, .pair = true};
  }
}

// Element `index` as "[row, column]" (or "[row]").
std::string Place(const Shape& shape, std::int64_t index) {
  if (shape.rank() < 2) return format("[{}]", index);
  return format("[{}, {}]", index / shape.dim(1), index % shape.dim(1));
}

}  // namespace

bool BlockScalesAreFinite(const WeightView& weight, std::int64_t begin, std::int64_t end) {
  const auto block = BlockOf(weight.format);
  if (!block) return true;
  const std::int64_t row_bytes = DataPerRow(weight);
  const std::byte* last = weight.data.data + end * row_bytes;
  const Halves halves = HalvesOf(weight.format);
  const bool exponents = weight.format == WeightFormat::kMxfp4Block;
  for (const std::byte* at = weight.data.data + begin * row_bytes; at < last; at += block->bytes) {
    if (exponents) {
      if (at[0] == std::byte{0xFF}) return false;
    } else if (!IsFiniteHalf(at + halves.at) || (halves.pair && !IsFiniteHalf(at + 2))) {
      return false;
    }
  }
  return true;
}

Status CheckScales(const StoredWeight& weight, std::string_view where) {
  const TensorView& scales = weight.view.scales;
  if (scales.data == nullptr) return Ok();
  const std::int64_t bad = FirstBadScale(scales);
  if (bad == scales.shape.ElementCount()) return Ok();
  return DataLoss(format("{}: tensor {}: element {} is {}, must be finite and > 0", where,
                         Quoted(weight.tensors[1], 200), Place(scales.shape, bad), scales.At(bad)));
}

}  // namespace glint::tensor
