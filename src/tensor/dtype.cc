// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace glint::tensor {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  std::int64_t bytes;
};

constexpr DTypeRow kRows[] = {
    {DType::kF32, "F32", 4},        {DType::kF16, "F16", 2},        {DType::kBF16, "BF16", 2},
    {DType::kF8E4M3, "F8_E4M3", 1}, {DType::kF8E8M0, "F8_E8M0", 1}, {DType::kU8, "U8", 1},
    {DType::kI8, "I8", 1},          {DType::kI32, "I32", 4},        {DType::kI64, "I64", 8},
};

template <typename T>
T Load(const void* data, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T>
void Store(void* data, std::int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<std::int64_t>(sizeof(T)), &value,
              sizeof(T));
}

// A small floating format: sign, exponent and mantissa fields in that order.
struct SmallFloat {
  int mantissa_bits;
  int bias;                 // smallest normal exponent is 1 - bias
  std::uint32_t sign;       // the sign bit
  std::uint32_t too_large;  // code for what rounds beyond the largest finite value, and infinity
  std::uint32_t nan;
};

constexpr SmallFloat kBf16{7, 127, 0x8000, 0x7F80, 0x7FC0};
constexpr SmallFloat kF16{10, 15, 0x8000, 0x7C00, 0x7E00};
constexpr SmallFloat kE4M3{3, 7, 0x80, 0x7E, 0x7F};

// Rounds once, from double: going through float would round twice. Ties to even come from
// nearbyint (default mode).
std::uint32_t RoundTo(const SmallFloat& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.sign : 0;
  if (std::isnan(value)) return sign | format.nan;
  if (std::isinf(value)) return sign | format.too_large;
  if (value == 0) return sign;
  int exponent = 0;
  (void)std::frexp(value, &exponent);  // |value| = f * 2^exponent, f in [0.5, 1)
  const int unbiased = std::max(exponent - 1, 1 - format.bias);
  const double steps = std::nearbyint(std::ldexp(std::abs(value), format.mantissa_bits - unbiased));
  const auto whole = static_cast<std::uint32_t>(steps);  // includes the implicit one when normal
  // For a subnormal `whole` is below 2^mantissa_bits and the field is 0; adding handles both, and
  // a carry out of the mantissa moves to the next exponent by itself.
  const std::uint32_t code =
      (static_cast<std::uint32_t>(unbiased + format.bias - 1) << format.mantissa_bits) + whole;
  return sign | std::min(code, format.too_large);
}

}  // namespace

std::int64_t DTypeBytes(DType dtype) { return kRows[static_cast<int>(dtype)].bytes; }

const char* DTypeName(DType dtype) { return kRows[static_cast<int>(dtype)].name; }

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeRow& row : kRows) {
    if (name == row.name) return row.dtype;
  }
  return std::nullopt;
}

bool IsFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 ||
         dtype == DType::kF8E4M3;
}

float Bf16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t FloatToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x0040);
  const std::uint32_t odd = (bits >> 16) & 1;
  return static_cast<std::uint16_t>((bits + 0x7FFF + odd) >> 16);
}

float F16ToFloat(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t FloatToF16(float value) {
  return static_cast<std::uint16_t>(RoundTo(kF16, static_cast<double>(value)));
}

float E4M3ToFloat(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 0xF;
  const int mantissa = bits & 0x7;
  float magnitude = 0;
  if (exponent == 15 && mantissa == 7) {
    magnitude = std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -9);
  } else {
    magnitude = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  }
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

std::uint8_t FloatToE4M3(float value) {
  return static_cast<std::uint8_t>(RoundTo(kE4M3, static_cast<double>(value)));
}

float E8M0ToFloat(std::uint8_t bits) {
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, static_cast<int>(bits) - 127);
}

float E2M1ToFloat(std::uint8_t code) {
  constexpr float kMagnitudes[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  const float magnitude = kMagnitudes[code & 7];
  return (code & 8) != 0 ? -magnitude : magnitude;
}

double LoadElement(DType dtype, const void* data, std::int64_t index) {
  switch (dtype) {
    case DType::kF32:
      return Load<float>(data, index);
    case DType::kF16:
      return F16ToFloat(Load<std::uint16_t>(data, index));
    case DType::kBF16:
      return Bf16ToFloat(Load<std::uint16_t>(data, index));
    case DType::kF8E4M3:
      return E4M3ToFloat(Load<std::uint8_t>(data, index));
    case DType::kF8E8M0:
      return E8M0ToFloat(Load<std::uint8_t>(data, index));
    case DType::kU8:
      return Load<std::uint8_t>(data, index);
    case DType::kI8:
      return Load<std::int8_t>(data, index);
    case DType::kI32:
      return Load<std::int32_t>(data, index);
    case DType::kI64:
      return static_cast<double>(Load<std::int64_t>(data, index));
  }
  CheckFailed("known dtype", "LoadElement");
}

void StoreElement(DType dtype, void* data, std::int64_t index, double value) {
  switch (dtype) {
    case DType::kF32:
      return Store(data, index, static_cast<float>(value));
    case DType::kF16:
      return Store(data, index, static_cast<std::uint16_t>(RoundTo(kF16, value)));
    case DType::kBF16:
      return Store(data, index, static_cast<std::uint16_t>(RoundTo(kBf16, value)));
    case DType::kF8E4M3:
      return Store(data, index, static_cast<std::uint8_t>(RoundTo(kE4M3, value)));
    default:
      CheckFailed("a floating dtype", DTypeName(dtype));
  }
}

}  // namespace glint::tensor
