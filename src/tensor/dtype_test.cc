// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace glint::tensor {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One of the formats that round, as functions over the code.
struct Format {
  const char* name;
  float (*to_float)(std::uint32_t code);
  std::uint32_t (*from_float)(float value);
  std::uint32_t codes;    // without the sign bit
  std::uint32_t largest;  // the code of the largest finite value
};

constexpr Format kFormats[] = {
    {"bf16", [](std::uint32_t code) { return Bf16ToFloat(static_cast<std::uint16_t>(code)); },
     [](float value) -> std::uint32_t { return FloatToBf16(value); }, 0x8000, 0x7F7F},
    {"f16", [](std::uint32_t code) { return F16ToFloat(static_cast<std::uint16_t>(code)); },
     [](float value) -> std::uint32_t { return FloatToF16(value); }, 0x8000, 0x7BFF},
    {"e4m3", [](std::uint32_t code) { return E4M3ToFloat(static_cast<std::uint8_t>(code)); },
     [](float value) -> std::uint32_t { return FloatToE4M3(value); }, 0x80, 0x7E},
};

TEST(DType, NamesAreThoseOfSafetensorsAndReadBack) {
  const struct {
    DType dtype;
    const char* name;
    std::int64_t bytes;
  } rows[] = {
      {DType::kF32, "F32", 4},        {DType::kF16, "F16", 2},        {DType::kBF16, "BF16", 2},
      {DType::kF8E4M3, "F8_E4M3", 1}, {DType::kF8E8M0, "F8_E8M0", 1}, {DType::kU8, "U8", 1},
      {DType::kI8, "I8", 1},          {DType::kI32, "I32", 4},        {DType::kI64, "I64", 8}};
  for (const auto& row : rows) {
    EXPECT_STREQ(DTypeName(row.dtype), row.name);
    EXPECT_EQ(ParseDType(row.name), row.dtype);
    EXPECT_EQ(DTypeBytes(row.dtype), row.bytes) << row.name;
  }
  for (const char* name : {"", "F64", "bf16", "BF16 ", "F8_E5M2", "F4"}) {
    EXPECT_EQ(ParseDType(name), std::nullopt) << name;
  }
}

TEST(DType, EveryCodeRoundTrips) {
  for (const Format& format : kFormats) {
    for (std::uint32_t code = 0; code < 2 * format.codes; ++code) {
      const float value = format.to_float(code);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(format.to_float(format.from_float(value)))) << format.name << code;
        continue;
      }
      ASSERT_EQ(format.from_float(value), code) << format.name;
    }
  }
}

TEST(DType, CodesAreInTheOrderOfTheirValues) {
  for (const Format& format : kFormats) {
    for (std::uint32_t code = 0; code < format.largest; ++code) {
      ASSERT_LT(format.to_float(code), format.to_float(code + 1)) << format.name << code;
      ASSERT_EQ(format.to_float(code + format.codes), -format.to_float(code)) << format.name;
    }
  }
}

// The middle of two neighbours is exact in float for all three formats, subnormals included.
TEST(DType, TiesGoToEvenAndOtherwiseToTheNearest) {
  for (const Format& format : kFormats) {
    for (std::uint32_t code = 0; code < format.largest; ++code) {
      const float low = format.to_float(code);
      const float high = format.to_float(code + 1);
      const float middle = low + (high - low) / 2;
      ASSERT_EQ(format.from_float(middle), code + (code & 1)) << format.name;
      ASSERT_EQ(format.from_float(std::nextafter(middle, 0.0F)), code) << format.name;
      ASSERT_EQ(format.from_float(std::nextafter(middle, kInfinity)), code + 1) << format.name;
      ASSERT_EQ(format.from_float(-middle), format.codes + code + (code & 1)) << format.name;
    }
  }
}

TEST(DType, KnownValues) {
  EXPECT_EQ(Bf16ToFloat(0x3F80), 1.0F);
  EXPECT_EQ(Bf16ToFloat(0x0001), std::ldexp(1.0F, -133));
  EXPECT_EQ(F16ToFloat(0x3C00), 1.0F);
  EXPECT_EQ(F16ToFloat(0x7BFF), 65504.0F);
  EXPECT_EQ(F16ToFloat(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(F16ToFloat(0x03FF), 1023 * std::ldexp(1.0F, -24));
  EXPECT_EQ(E4M3ToFloat(0x38), 1.0F);
  EXPECT_EQ(E4M3ToFloat(0x7E), 448.0F);
  EXPECT_EQ(E4M3ToFloat(0x01), std::ldexp(1.0F, -9));
  EXPECT_EQ(E4M3ToFloat(0x08), std::ldexp(1.0F, -6));
}

TEST(DType, TooLargeBecomesInfinityButE4M3Saturates) {
  EXPECT_EQ(FloatToBf16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(FloatToBf16(-kInfinity), 0xFF80);
  EXPECT_EQ(FloatToF16(std::nextafter(65520.0F, 0.0F)), 0x7BFF);
  EXPECT_EQ(FloatToF16(65520.0F), 0x7C00);
  EXPECT_EQ(FloatToF16(-1e38F), 0xFC00);
  EXPECT_EQ(FloatToF16(kInfinity), 0x7C00);
  for (const float value : {448.0F, 464.0F, 480.0F, 1e38F, kInfinity}) {
    EXPECT_EQ(FloatToE4M3(value), 0x7E) << value;
    EXPECT_EQ(FloatToE4M3(-value), 0xFE) << value;
  }
}

TEST(DType, TooSmallBecomesZeroWithItsSign) {
  EXPECT_EQ(FloatToBf16(std::ldexp(1.0F, -134)), 0);
  EXPECT_EQ(FloatToF16(std::ldexp(1.0F, -25)), 0);
  EXPECT_EQ(FloatToF16(-1e-30F), 0x8000);
  EXPECT_EQ(FloatToE4M3(std::ldexp(1.0F, -10)), 0);
  EXPECT_EQ(FloatToE4M3(-1e-30F), 0x80);
}

TEST(DType, NanStaysNan) {
  EXPECT_TRUE(std::isnan(Bf16ToFloat(FloatToBf16(kNan))));
  EXPECT_TRUE(std::isnan(F16ToFloat(FloatToF16(kNan))));
  EXPECT_TRUE(std::isnan(E4M3ToFloat(FloatToE4M3(-kNan))));
  for (const int code : {0x7F, 0xFF}) {
    EXPECT_TRUE(std::isnan(E4M3ToFloat(static_cast<std::uint8_t>(code))));
  }
}

TEST(DType, E8M0IsAPowerOfTwoAnd255IsNan) {
  for (int code = 0; code < 255; ++code) {
    const float value = E8M0ToFloat(static_cast<std::uint8_t>(code));
    ASSERT_GT(value, 0.0F);
    int exponent = 0;
    ASSERT_EQ(std::frexp(value, &exponent), 0.5F) << code;
    ASSERT_EQ(exponent - 1 + 127, code);
  }
  EXPECT_TRUE(std::isnan(E8M0ToFloat(255)));
}

TEST(DType, E2M1ReadsTheLowFourBits) {
  constexpr float kValues[] = {0,     0.5F,  1,  1.5F,  2,  3,  4,  6,
                               -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};
  for (int code = 0; code < 256; ++code) {
    const float value = E2M1ToFloat(static_cast<std::uint8_t>(code));
    ASSERT_EQ(value, kValues[code & 15]) << code;
    ASSERT_EQ(std::signbit(value), (code & 8) != 0) << code;
  }
}

TEST(DType, StoredElementsLoadBackAtAnyAddress) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3}) {
    unsigned char bytes[1 + 3 * 4] = {};
    StoreElement(dtype, bytes + 1, 2, -1.75);
    EXPECT_EQ(LoadElement(dtype, bytes + 1, 2), -1.75) << DTypeName(dtype);
    EXPECT_EQ(LoadElement(dtype, bytes + 1, 1), 0.0) << DTypeName(dtype);
  }
}

TEST(DType, IntegersLoadAsTheirValue) {
  const std::int8_t bytes[] = {-128, 127};
  EXPECT_EQ(LoadElement(DType::kI8, bytes, 0), -128);
  EXPECT_EQ(LoadElement(DType::kU8, bytes, 0), 128);
  const std::int32_t words[] = {-5, 2147483647};
  EXPECT_EQ(LoadElement(DType::kI32, words, 1), 2147483647);
  const std::int64_t wide[] = {-9007199254740992};
  EXPECT_EQ(LoadElement(DType::kI64, wide, 0), -9007199254740992.0);
}

// Rounding first to float would move these onto a tie, and the tie to the wrong neighbour.
TEST(DType, StoreElementRoundsOnce) {
  const struct {
    DType dtype;
    int half_step;  // log2 of half the distance of 1 and the next value
  } rows[] = {{DType::kBF16, -8}, {DType::kF16, -11}, {DType::kF8E4M3, -4}};
  for (const auto& row : rows) {
    float space = 0;
    StoreElement(row.dtype, &space, 0, 1 + std::ldexp(1.0, row.half_step) + std::ldexp(1.0, -40));
    EXPECT_EQ(LoadElement(row.dtype, &space, 0), 1 + std::ldexp(1.0, row.half_step + 1))
        << DTypeName(row.dtype);
  }
}

TEST(DType, StoreElementTreatsExtremesAsTheConversionsDo) {
  float space = 0;
  StoreElement(DType::kBF16, &space, 0, 1e300);
  EXPECT_EQ(LoadElement(DType::kBF16, &space, 0), kInfinity);
  StoreElement(DType::kF16, &space, 0, -1e300);
  EXPECT_EQ(LoadElement(DType::kF16, &space, 0), -kInfinity);
  StoreElement(DType::kF8E4M3, &space, 0, 1e300);
  EXPECT_EQ(LoadElement(DType::kF8E4M3, &space, 0), 448);
  StoreElement(DType::kBF16, &space, 0, std::nan(""));
  EXPECT_TRUE(std::isnan(LoadElement(DType::kBF16, &space, 0)));
}

TEST(DTypeDeathTest, StoringAnIntegerTypeEndsTheProcess) {
  float space = 0;
  EXPECT_DEATH(StoreElement(DType::kI8, &space, 0, 1), "a floating dtype");
}

// Rounding as the formats define it, in steps of the last place: slow and obvious.
struct Rounding {
  DType dtype;
  int mantissa_bits;
  int bias;
  std::uint32_t sign;
  std::uint32_t too_large;
};

std::uint32_t RoundedBySteps(const Rounding& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.sign : 0;
  if (std::isinf(value)) return sign | format.too_large;
  if (value == 0) return sign;
  int exponent = 0;
  (void)std::frexp(value, &exponent);  // |value| = f * 2^exponent, f in [0.5, 1)
  const int unbiased = std::max(exponent - 1, 1 - format.bias);
  const double steps = std::nearbyint(std::ldexp(std::abs(value), format.mantissa_bits - unbiased));
  const double code =
      std::ldexp(static_cast<double>(unbiased + format.bias - 1), format.mantissa_bits) + steps;
  return sign | static_cast<std::uint32_t>(std::min<double>(code, format.too_large));
}

std::uint32_t Stored(DType dtype, double value) {
  std::uint32_t bits = 0;
  StoreElement(dtype, &bits, 0, value);
  return bits;
}

TEST(StoreElement, RoundsAsStepsOfTheLastPlaceDo) {
  constexpr Rounding kRoundings[] = {{DType::kBF16, 7, 127, 0x8000, 0x7F80},
                                     {DType::kF16, 10, 15, 0x8000, 0x7C00},
                                     {DType::kF8E4M3, 3, 7, 0x80, 0x7E}};
  std::mt19937_64 random(1);
  for (const Rounding& format : kRoundings) {
    for (int i = 0; i < 300'000; ++i) {
      // Any exponent from below the smallest subnormal to beyond the largest, with few mantissa
      // bits often, so that ties come up, and a last bit that only a double has sometimes.
      const std::uint64_t bits = random();
      const double fraction = static_cast<double>(bits >> 11 >> (i % 2 == 0 ? 40 : 0));
      double value = std::ldexp(fraction, static_cast<int>(bits % 330) - 200 + (i % 2) * 10);
      if (i % 3 == 0) value = std::nextafter(value, i % 2 == 0 ? 0 : 2 * value);
      if (i % 5 == 0) value = -value;
      if (i % 7 == 0) value = static_cast<double>(static_cast<float>(value));
      ASSERT_EQ(Stored(format.dtype, value), RoundedBySteps(format, value))
          << DTypeName(format.dtype) << " " << value;
    }
    ASSERT_EQ(Stored(format.dtype, -1e300), RoundedBySteps(format, -1e300));
    ASSERT_EQ(Stored(format.dtype, double{kInfinity}), format.too_large);
  }
}

TEST(DType, F16IsWhatItsFieldsSay) {
  for (std::uint32_t code = 0; code < 0x7C00; ++code) {
    const int exponent = static_cast<int>(code >> 10);
    const float mantissa = static_cast<float>(code & 0x3FF);
    const float value =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(F16ToFloat(static_cast<std::uint16_t>(code)), value) << code;
  }
}

}  // namespace
}  // namespace glint::tensor
