// SPDX-License-Identifier: Apache-2.0
// The arithmetic of quantising a group of numbers to 8 bits, the same bits on every device.
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace glint::kernels {

constexpr float kInt8Limit = 127.0F;
constexpr float kE4M3Limit = 448.0F;

// |value| as an integer: larger magnitudes are larger integers, infinity is above all numbers and
// NaN above infinity. The largest of a group does not depend on the order in which it is sought.
GLINT_HD std::uint32_t MagnitudeBits(float value) {
  return __builtin_bit_cast(std::uint32_t, value) & 0x7FFFFFFFU;
}

struct GroupScale {
  float scale;    // what a stored number is multiplied by
  float inverse;  // what a value is multiplied by before it is rounded
};

// `limit` is kInt8Limit or kE4M3Limit.
GLINT_HD GroupScale ScaleOfGroup(std::uint32_t largest_bits, float limit) {
  constexpr std::uint32_t kSmallestBits = 0x0D800000U;  // 2^-100: below, limit / largest overflows
  constexpr std::uint32_t kInfinityBits = 0x7F800000U;
  const float largest = __builtin_bit_cast(float, largest_bits);
  if (largest_bits < kSmallestBits) return {0.0F, 0.0F};
  if (largest_bits >= kInfinityBits) return {__builtin_nanf(""), 0.0F};
  return {largest / limit, limit / largest};
}

// NaN becomes `limit`.
GLINT_HD float ClampToLimit(float value, float limit) {
  value = value < limit ? value : limit;
  return value > -limit ? value : -limit;
}

// Adding 1.5 * 2^23 leaves the nearest integer, ties to even, in the low bits of the sum.
GLINT_HD std::int32_t RoundToInteger(float value) {
  return static_cast<std::int32_t>(__builtin_bit_cast(std::uint32_t, value + 12582912.0F) -
                                   0x4B400000U);
}

GLINT_HD std::int8_t QuantizeInt8(float value, float inverse) {
  const float scaled = value * inverse;
  return static_cast<std::int8_t>(RoundToInteger(ClampToLimit(scaled, kInt8Limit)));
}

// The bits of an E4M3 number, to nearest, ties to even. Subnormals are steps of 2^-9; a rounding
// that carries into the exponent is right as it is.
GLINT_HD std::uint8_t QuantizeE4M3(float value, float inverse) {
  const float scaled = value * inverse;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, ClampToLimit(scaled, kE4M3Limit));
  const std::uint32_t sign = (bits >> 24) & 0x80U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const std::uint32_t normal =
      ((magnitude + 0x7FFFFU + ((magnitude >> 20) & 1U)) >> 20) - (120U << 3);
  const auto subnormal =
      static_cast<std::uint32_t>(RoundToInteger(__builtin_bit_cast(float, magnitude) * 512.0F));
  constexpr std::uint32_t kSmallestNormalBits = 0x3C800000U;  // 2^-6
  return static_cast<std::uint8_t>(sign | (magnitude < kSmallestNormalBits ? subnormal : normal));
}

}  // namespace glint::kernels
