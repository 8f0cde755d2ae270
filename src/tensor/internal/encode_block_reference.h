// SPDX-License-Identifier: Apache-2.0
// EncodeBlock (encode_block.h) a number at a time, by the functions of <cmath>: what its loops are
// tested against, bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "tensor/weight_view.h"

namespace glint::tensor::reference {

constexpr std::size_t kSub = 32;

// Stores binary16 and returns what it holds.
inline float PutHalf(float value, std::byte* to) {
  const std::uint16_t bits = FloatToF16(value);
  std::memcpy(to, &bits, sizeof(bits));
  return F16ToFloat(bits);
}

inline float Inverse(float value) { return value == 0 ? 0 : 1 / value; }

inline int Rounded(float value, int low, int high) {
  return std::clamp(static_cast<int>(std::lround(value)), low, high);
}

// The value of the largest magnitude, with its sign.
inline float Largest(const float* values, std::size_t count) {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(values[i]) > std::abs(largest)) largest = values[i];
  }
  return largest;
}

// 32 codes to 16 bytes: the first half in the low nibbles.
inline void PutNibbles(const std::array<int, kSub>& codes, std::byte* to) {
  for (std::size_t i = 0; i < 16; ++i) to[i] = std::byte(codes[i] | (codes[i + 16] << 4));
}

inline void EncodeQ80(const float* values, std::byte* block) {
  const float inverse = Inverse(PutHalf(std::abs(Largest(values, kSub)) / 127, block));
  for (std::size_t i = 0; i < kSub; ++i) {
    block[2 + i] = std::byte(Rounded(values[i] * inverse, -127, 127) & 0xFF);
  }
}

// The largest gets -8, the end that has a code more.
inline void EncodeQ40(const float* values, std::byte* block) {
  const float inverse = Inverse(PutHalf(Largest(values, kSub) / -8, block));
  std::array<int, kSub> codes{};
  for (std::size_t i = 0; i < kSub; ++i) codes[i] = Rounded(values[i] * inverse, -8, 7) + 8;
  PutNibbles(codes, block + 2);
}

// Six bits for each of eight scales and minima in twelve bytes: the inverse of UnpackScaleMin.
inline void PackScaleMin(const std::array<int, 8>& scales, const std::array<int, 8>& minima,
                         std::byte* to) {
  for (std::size_t j = 0; j < 4; ++j) {
    to[j] = std::byte(scales[j] | ((scales[j + 4] >> 4) << 6));
    to[j + 4] = std::byte(minima[j] | ((minima[j + 4] >> 4) << 6));
    to[j + 8] = std::byte((scales[j + 4] & 15) | ((minima[j + 4] & 15) << 4));
  }
}

inline void EncodeQ4K(const float* values, std::byte* block) {
  std::array<float, 8> ranges{};
  std::array<float, 8> lows{};
  for (std::size_t j = 0; j < 8; ++j) {
    const auto [low, high] = std::minmax_element(values + kSub * j, values + kSub * (j + 1));
    lows[j] = std::max(0.0F, -*low);
    ranges[j] = (*high + lows[j]) / 15;
  }
  const float d = PutHalf(*std::max_element(ranges.begin(), ranges.end()) / 63, block);
  const float dmin = PutHalf(*std::max_element(lows.begin(), lows.end()) / 63, block + 2);
  std::array<int, 8> scales{};
  std::array<int, 8> minima{};
  std::array<std::array<int, kSub>, 8> codes{};
  for (std::size_t j = 0; j < 8; ++j) {
    scales[j] = Rounded(ranges[j] * Inverse(d), 0, 63);
    minima[j] = Rounded(lows[j] * Inverse(dmin), 0, 63);
    const float inverse = Inverse(d * static_cast<float>(scales[j]));
    const float low = dmin * static_cast<float>(minima[j]);
    for (std::size_t i = 0; i < kSub; ++i) {
      codes[j][i] = Rounded((values[kSub * j + i] + low) * inverse, 0, 15);
    }
  }
  PackScaleMin(scales, minima, block + 4);
  for (std::size_t pair = 0; pair < 4; ++pair) {
    for (std::size_t i = 0; i < kSub; ++i) {
      block[16 + 32 * pair + i] = std::byte(codes[2 * pair][i] | (codes[2 * pair + 1][i] << 4));
    }
  }
}

// One of the 256 codes of Q6_K to its bits (block_format.cc reads them).
inline void PutQ6KCode(std::size_t index, int code, std::byte* block) {
  const std::size_t half = index / 128;
  const std::size_t quarter = index % 128 / 32;
  const std::size_t lane = index % 32;
  block[half * 64 + quarter % 2 * 32 + lane] |= std::byte((code & 15) << (quarter < 2 ? 0 : 4));
  block[128 + half * 32 + lane] |= std::byte((code >> 4) << (2 * quarter));
}

inline void EncodeQ6K(const float* values, std::byte* block) {
  constexpr std::size_t kGroup = 16;
  std::memset(block, 0, 192);
  std::array<float, 16> steps{};
  for (std::size_t j = 0; j < 16; ++j) steps[j] = Largest(values + kGroup * j, kGroup) / -32;
  const float d = PutHalf(std::abs(Largest(steps.data(), steps.size())) / 127, block + 208);
  for (std::size_t j = 0; j < 16; ++j) {
    const int scale = Rounded(steps[j] * Inverse(d), -128, 127);
    block[192 + j] = std::byte(scale & 0xFF);
    const float inverse = Inverse(d * static_cast<float>(scale));
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::size_t index = kGroup * j + i;
      PutQ6KCode(index, Rounded(values[index] * inverse, -32, 31) + 32, block);
    }
  }
}

// The code of E2M1 nearest to a magnitude; the even one of two at the same distance.
inline int NearestE2M1(float magnitude) {
  constexpr std::array<float, 7> kMiddles = {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F};
  int code = 0;
  for (std::size_t i = 0; i < kMiddles.size(); ++i) {
    const bool above = i % 2 == 0 ? magnitude > kMiddles[i] : magnitude >= kMiddles[i];
    if (above) code = static_cast<int>(i) + 1;
  }
  return code;
}

inline void EncodeMxfp4(const float* values, std::byte* block) {
  const float largest = std::abs(Largest(values, kSub));
  int exponent = 0;
  if (largest > 0) {
    std::frexp(largest / 6, &exponent);  // largest / 6 in [1/2, 1) * 2^exponent
    if (std::ldexp(6.0F, exponent - 1) >= largest) --exponent;
  }
  exponent = std::clamp(exponent, -127, 127);
  block[0] = std::byte(exponent + 127);
  std::array<int, kSub> codes{};
  for (std::size_t i = 0; i < kSub; ++i) {
    const float scaled = std::ldexp(values[i], -exponent);
    codes[i] = NearestE2M1(std::abs(scaled)) | (scaled < 0 ? 8 : 0);
  }
  PutNibbles(codes, block + 1);
}

inline void EncodeBlock(WeightFormat format, const float* values, std::byte* block) {
  switch (format) {
    case WeightFormat::kQ8_0:
      return EncodeQ80(values, block);
    case WeightFormat::kQ4_0:
      return EncodeQ40(values, block);
    case WeightFormat::kQ4K:
      return EncodeQ4K(values, block);
    case WeightFormat::kQ6K:
      return EncodeQ6K(values, block);
    case WeightFormat::kMxfp4Block:
      return EncodeMxfp4(values, block);
    default:
      CheckFailed("a format of ParseBlockFormat", "EncodeBlock");
  }
}

}  // namespace glint::tensor::reference
