// SPDX-License-Identifier: Apache-2.0
// One rounding from double to a small float, by way of float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace glint::tensor {

// The two floats around `value`: the one whose last bit is set, or `value` itself where it is a
// float. Rounding that again to a format of at most 22 bits gives what one rounding of `value`
// gives. Source: Boldo, Melquiond, "Emulation of FMA and correctly rounded sums", 2008 (rounding to
// odd). NaN stays NaN.
inline float RoundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(back) > std::abs(value)) --bits;
  if (back < value || back > value) bits |= 1;
  return std::bit_cast<float>(bits);
}

// The low `shift` bits of `bits` rounded away, ties to even.
inline std::uint32_t RoundOff(std::uint32_t bits, int shift) {
  const std::uint32_t below_half = (1U << (shift - 1)) - 1;
  return (bits + below_half + ((bits >> shift) & 1)) >> shift;
}

inline std::uint16_t Bf16Of(double value) {
  const auto rounded =
      static_cast<std::uint16_t>(RoundOff(std::bit_cast<std::uint32_t>(RoundToOdd(value)), 16));
  const auto nan = static_cast<std::uint16_t>(std::signbit(value) ? 0xFFC0 : 0x7FC0);
  return std::isnan(value) ? nan : rounded;
}

}  // namespace glint::tensor
