// SPDX-License-Identifier: Apache-2.0
// CheckScales of stored_weight.h. A model has up to 2^35 scales, so each type has its own loop.
#include <cstring>

#include "base/check.h"
#include "base/format.h"
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

// Element `index` as "[row, column]" (or "[row]").
std::string Place(const Shape& shape, std::int64_t index) {
  if (shape.rank() < 2) return format("[{}]", index);
  return format("[{}, {}]", index / shape.dim(1), index % shape.dim(1));
}

}  // namespace

Status CheckScales(const StoredWeight& weight, std::string_view where) {
  const TensorView& scales = weight.view.scales;
  if (scales.data == nullptr) return Ok();
  const std::int64_t bad = FirstBadScale(scales);
  if (bad == scales.shape.ElementCount()) return Ok();
  return DataLoss(format("{}: tensor {}: element {} is {}, must be finite and > 0", where,
                         Quoted(weight.tensors[1], 200), Place(scales.shape, bad), scales.At(bad)));
}

}  // namespace glint::tensor
