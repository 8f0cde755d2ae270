// SPDX-License-Identifier: Apache-2.0
// exp and what is built from it in F32, the same bits on every device: plain operations and fused
// multiply-adds only, no library call, no table, no branch (compilers make vector code of it).
//
// Source of the polynomial: Cephes, single/expf.c (Moshier): degree 7 on [-ln2/2, ln2/2].
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace glint::kernels {

// e^x within 2 units in the last place of the result's size; 0 below -104, infinity above 88.8,
// NaN for NaN.
GLINT_HD float ExpMath(float x) {
  constexpr float kRoundToInteger = 12582912.0F;  // 1.5 * 2^23: adding it leaves an integer's bits
  x = x > 89.0F ? 89.0F : x;
  x = x < -104.0F ? -104.0F : x;
  const float shifted = __builtin_fmaf(x, 1.44269504088896341F, kRoundToInteger);
  const float n = shifted - kRoundToInteger;
  float r = __builtin_fmaf(n, -0.693359375F, x);
  r = __builtin_fmaf(n, 2.12194440e-4F, r);
  float p = 1.9875691500e-4F;
  p = __builtin_fmaf(p, r, 1.3981999507e-3F);
  p = __builtin_fmaf(p, r, 8.3334519073e-3F);
  p = __builtin_fmaf(p, r, 4.1665795894e-2F);
  p = __builtin_fmaf(p, r, 1.6666665459e-1F);
  p = __builtin_fmaf(p, r, 5.0000001201e-1F);
  p = __builtin_fmaf(p, r * r, r) + 1.0F;
  // 2^n in two factors, since n spans -150 to 128. The integer is in the low bits of `shifted`.
  const auto biased = __builtin_bit_cast(std::uint32_t, shifted) - 0x4B400000U + 254U;
  const std::uint32_t half = biased / 2;
  const auto first = __builtin_bit_cast(float, half << 23);
  const auto second = __builtin_bit_cast(float, (biased - half) << 23);
  return p * first * second;
}

// 1 / (1 + e^-x): 0 far below, 1 far above, NaN for NaN.
GLINT_HD float SigmoidMath(float x) { return 1.0F / (1.0F + ExpMath(-x)); }

}  // namespace glint::kernels
