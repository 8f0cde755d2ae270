// SPDX-License-Identifier: Apache-2.0
#include "tensor/encode_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "tensor/block_format.h"

namespace glint::tensor {
namespace {

constexpr std::size_t kSub = 32;

// Stores binary16 and returns what it holds.
float PutHalf(float value, std::byte* to) {
  const std::uint16_t bits = FloatToF16(value);
  std::memcpy(to, &bits, sizeof(bits));
  return F16ToFloat(bits);
}

float Inverse(float value) { return value == 0 ? 0 : 1 / value; }

// To nearest, ties away from zero: as lround, in operations that vectorise. What is left behind the
// point is exact.
int Rounded(float value, int low, int high) {
  const float least = static_cast<float>(low);
  const float most = static_cast<float>(high);
  const float inside = value > least ? (value < most ? value : most) : least;
  const int whole = static_cast<int>(inside);
  const float rest = inside - static_cast<float>(whole);
  return whole + static_cast<int>(rest >= 0.5F) - static_cast<int>(rest <= -0.5F);
}

// The first value of the largest magnitude, with its sign. The magnitudes of finite numbers are in
// the order of their bits.
float Largest(const float* values, std::size_t count) {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(values[i]) & 0x7FFFFFFF;
    largest = bits > largest ? bits : largest;
  }
  if (largest == 0) return 0;
  const auto magnitude = std::bit_cast<float>(largest);
  std::size_t i = 0;
  while (i + 1 < count && std::abs(values[i]) != magnitude) ++i;
  return values[i];
}

// 32 codes to 16 bytes: the first half in the low nibbles.
void PutNibbles(const std::array<int, kSub>& codes, std::byte* to) {
  for (std::size_t i = 0; i < 16; ++i) to[i] = std::byte(codes[i] | (codes[i + 16] << 4));
}

void EncodeQ80(const float* values, std::byte* block) {
  const float inverse = Inverse(PutHalf(std::abs(Largest(values, kSub)) / 127, block));
  for (std::size_t i = 0; i < kSub; ++i) {
    block[2 + i] = std::byte(Rounded(values[i] * inverse, -127, 127) & 0xFF);
  }
}

// The largest gets -8, the end that has a code more.
void EncodeQ40(const float* values, std::byte* block) {
  const float inverse = Inverse(PutHalf(Largest(values, kSub) / -8, block));
  std::array<int, kSub> codes{};
  for (std::size_t i = 0; i < kSub; ++i) codes[i] = Rounded(values[i] * inverse, -8, 7) + 8;
  PutNibbles(codes, block + 2);
}

// Six bits for each of eight scales and minima in twelve bytes: the inverse of UnpackScaleMin.
void PackScaleMin(const std::array<int, 8>& scales, const std::array<int, 8>& minima,
                  std::byte* to) {
  for (std::size_t j = 0; j < 4; ++j) {
    to[j] = std::byte(scales[j] | ((scales[j + 4] >> 4) << 6));
    to[j + 4] = std::byte(minima[j] | ((minima[j + 4] >> 4) << 6));
    to[j + 8] = std::byte((scales[j + 4] & 15) | ((minima[j + 4] & 15) << 4));
  }
}

void EncodeQ4K(const float* values, std::byte* block) {
  std::array<float, 8> ranges{};
  std::array<float, 8> lows{};
  for (std::size_t j = 0; j < 8; ++j) {
    float low = values[kSub * j];
    float high = low;
    for (std::size_t i = 1; i < kSub; ++i) {
      const float value = values[kSub * j + i];
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    lows[j] = std::max(0.0F, -low);
    ranges[j] = (high + lows[j]) / 15;
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

// The 256 codes of Q6_K to their bits (block_format.cc reads them).
void PutQ6KCodes(const std::array<std::uint8_t, 256>& codes, std::byte* block) {
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint8_t* q = codes.data() + 128 * half;
    for (std::size_t i = 0; i < kSub; ++i) {
      block[half * 64 + i] = std::byte((q[i] & 15) | (q[i + 64] & 15) << 4);
      block[half * 64 + 32 + i] = std::byte((q[i + 32] & 15) | (q[i + 96] & 15) << 4);
      block[128 + half * 32 + i] = std::byte((q[i] >> 4) | (q[i + 32] >> 4) << 2 |
                                             (q[i + 64] >> 4) << 4 | (q[i + 96] >> 4) << 6);
    }
  }
}

void EncodeQ6K(const float* values, std::byte* block) {
  constexpr std::size_t kGroup = 16;
  std::array<std::uint8_t, 256> codes{};
  std::array<float, 16> steps{};
  for (std::size_t j = 0; j < 16; ++j) steps[j] = Largest(values + kGroup * j, kGroup) / -32;
  const float d = PutHalf(std::abs(Largest(steps.data(), steps.size())) / 127, block + 208);
  for (std::size_t j = 0; j < 16; ++j) {
    const int scale = Rounded(steps[j] * Inverse(d), -128, 127);
    block[192 + j] = std::byte(scale & 0xFF);
    const float inverse = Inverse(d * static_cast<float>(scale));
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::size_t index = kGroup * j + i;
      codes[index] = static_cast<std::uint8_t>(Rounded(values[index] * inverse, -32, 31) + 32);
    }
  }
  PutQ6KCodes(codes, block);
}

// The code of E2M1 nearest to a magnitude; the even one of two at the same distance.
int NearestE2M1(float magnitude) {
  constexpr std::array<float, 7> kMiddles = {0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F};
  int code = 0;
  for (std::size_t i = 0; i < kMiddles.size(); ++i) {
    const bool above = i % 2 == 0 ? magnitude > kMiddles[i] : magnitude >= kMiddles[i];
    code += static_cast<int>(above);
  }
  return code;
}

void EncodeMxfp4(const float* values, std::byte* block) {
  const float largest = std::abs(Largest(values, kSub));
  int exponent = 0;
  if (largest > 0) {
    std::frexp(largest / 6, &exponent);  // largest / 6 in [1/2, 1) * 2^exponent
    if (std::ldexp(6.0F, exponent - 1) >= largest) --exponent;
  }
  exponent = std::clamp(exponent, -127, 127);
  block[0] = std::byte(exponent + 127);
  const float by = std::ldexp(1.0F, -exponent);  // a float for each exponent, so exact
  std::array<int, kSub> codes{};
  for (std::size_t i = 0; i < kSub; ++i) {
    const float scaled = values[i] * by;
    codes[i] = NearestE2M1(std::abs(scaled)) | (scaled < 0 ? 8 : 0);
  }
  PutNibbles(codes, block + 1);
}

}  // namespace

std::optional<WeightFormat> ParseBlockFormat(std::string_view name) {
  struct Row {
    std::string_view name;
    WeightFormat format;
  };
  constexpr std::array<Row, 5> kRows = {{{"q8_0", WeightFormat::kQ8_0},
                                         {"q4_0", WeightFormat::kQ4_0},
                                         {"q4_k", WeightFormat::kQ4K},
                                         {"q6_k", WeightFormat::kQ6K},
                                         {"mxfp4", WeightFormat::kMxfp4Block}}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.format;
  }
  return std::nullopt;
}

void EncodeBlock(WeightFormat format, const float* values, std::byte* block) {
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

}  // namespace glint::tensor
