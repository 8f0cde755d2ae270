// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "tensor/internal/round_to_odd.h"

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

// A binary format of eight or sixteen bits, rounded to from float. The exponent of float is
// rebiased by subtraction; below the smallest normal number, adding a power of two that leaves the
// format's last bit as float's last lets the adder round.
struct SmallFloat {
  int mantissa_bits;
  int bias;                 // smallest normal exponent is 1 - bias
  int sign_shift;           // from float's sign bit
  std::uint32_t too_large;  // code for what rounds beyond the largest finite value, and infinity
  std::uint32_t nan;
};

constexpr SmallFloat kF16{10, 15, 16, 0x7C00, 0x7E00};
constexpr SmallFloat kE4M3{3, 7, 24, 0x7E, 0x7F};
constexpr int kFloatMantissaBits = 23;
constexpr int kFloatBias = 127;

std::uint32_t RoundTo(const SmallFloat& format, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits & 0x80000000U) >> format.sign_shift;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (std::isnan(value)) return sign | format.nan;
  if (magnitude == 0x7F800000U) return sign | format.too_large;
  const auto smallest_normal = static_cast<std::uint32_t>(kFloatBias + 1 - format.bias)
                               << kFloatMantissaBits;
  if (magnitude < smallest_normal) {
    const int exponent = 1 - format.bias - format.mantissa_bits + kFloatMantissaBits;
    const auto magic = static_cast<std::uint32_t>(kFloatBias + exponent) << kFloatMantissaBits;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic);
    return sign | (std::bit_cast<std::uint32_t>(sum) - magic);
  }
  const auto rebias = static_cast<std::uint32_t>(kFloatBias - format.bias) << kFloatMantissaBits;
  const std::uint32_t code =
      RoundOff(magnitude - rebias, kFloatMantissaBits - format.mantissa_bits);
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
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude > 0x7C00) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(kNan));
  }
  if (magnitude == 0x7C00) return std::bit_cast<float>(sign | 0x7F800000U);
  // Read as a float of the same fields, the number is 2^-112 times too small, subnormal or not.
  return std::bit_cast<float>(sign | (magnitude << 13)) * 0x1p112F;
}

std::uint16_t FloatToF16(float value) { return static_cast<std::uint16_t>(RoundTo(kF16, value)); }

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

std::uint8_t FloatToE4M3(float value) { return static_cast<std::uint8_t>(RoundTo(kE4M3, value)); }

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
      return Store(data, index, static_cast<std::uint16_t>(RoundTo(kF16, RoundToOdd(value))));
    case DType::kBF16:
      return Store(data, index, Bf16Of(value));
    case DType::kF8E4M3:
      return Store(data, index, static_cast<std::uint8_t>(RoundTo(kE4M3, RoundToOdd(value))));
    default:
      CheckFailed("a floating dtype", DTypeName(dtype));
  }
}

}  // namespace glint::tensor
