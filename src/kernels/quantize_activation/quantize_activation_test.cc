// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "kernels/quantize_activation/quantize_activation_math.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

std::string MessageOf(const QuantizeActivationArgs& args) {
  const Status status = CheckQuantizeActivationArgs(args);
  return status.ok() ? "" : status.error().message;
}

TEST(QuantizeActivation, ScalesTheLargestOfEachGroupToTheLimit) {
  TestActivation x(DType::kF32, 1, 4, 2);
  const std::array<double, 4> values = {1.0, -2.0, 25.4, 0.25};
  for (std::int64_t i = 0; i < 4; ++i) x.Set(0, i, values[static_cast<std::size_t>(i)]);
  const TestQuantized out(DType::kI8, 1, 4, 2);
  QuantizeActivationReference({x.view(), out.view()});
  EXPECT_FLOAT_EQ(out.Scale(0, 0), 2.0F / 127);
  EXPECT_EQ(out.Code(0, 0), 64);  // 63.5 is a tie: to even
  EXPECT_EQ(out.Code(0, 1), -127);
  EXPECT_FLOAT_EQ(out.Scale(0, 1), 0.2F);
  EXPECT_EQ(out.Code(0, 2), 127);
  EXPECT_EQ(out.Code(0, 3), 1);  // 1.25
}

TEST(QuantizeActivation, WritesE4M3WithItsOwnLimit) {
  TestActivation x(DType::kBF16, 2, 2);
  x.Set(0, 0, 448.0);
  x.Set(0, 1, -17.0);  // between 16 and 18: to even
  x.Set(1, 0, 4.375);
  x.Set(1, 1, -4.375);
  const TestQuantized out(DType::kF8E4M3, 2, 2, 2);
  QuantizeActivationReference({x.view(), out.view()});
  EXPECT_EQ(out.Scale(0, 0), 1.0F);
  EXPECT_EQ(out.Code(0, 0), 448);
  EXPECT_EQ(out.Code(0, 1), -16);
  EXPECT_FLOAT_EQ(out.Scale(1, 0), 4.375F / 448);
  EXPECT_EQ(out.Code(1, 0), 448);
  EXPECT_EQ(out.Code(1, 1), -448);
}

TEST(QuantizeActivation, GivesGroupsOfZerosScaleZero) {
  TestActivation x(DType::kF32, 1, 4);
  for (std::int64_t i = 0; i < 4; ++i) x.Set(0, i, i < 2 ? 0.0 : 1e-38);
  for (const DType dtype : {DType::kI8, DType::kF8E4M3}) {
    const TestQuantized out(dtype, 1, 4, 2);
    QuantizeActivationReference({x.view(), out.view()});
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(out.Scale(0, i / 2), 0.0F);
      EXPECT_EQ(out.Code(0, i), 0.0);
    }
  }
}

TEST(QuantizeActivation, ShowsNanAndInfinityInTheScale) {
  TestActivation x(DType::kF32, 1, 6);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::array<double, 6> values = {1, std::nan(""), -infinity, 2, 3, 4};
  for (std::int64_t i = 0; i < 6; ++i) x.Set(0, i, values[static_cast<std::size_t>(i)]);
  for (const DType dtype : {DType::kI8, DType::kF8E4M3}) {
    const TestQuantized out(dtype, 1, 6, 2);
    QuantizeActivationReference({x.view(), out.view()});
    EXPECT_TRUE(std::isnan(out.Scale(0, 0)));
    EXPECT_TRUE(std::isnan(out.Scale(0, 1)));
    EXPECT_FALSE(std::isnan(out.Scale(0, 2)));
  }
}

TEST(QuantizeActivation, ErrsByAtMostHalfAStep) {
  TestActivation x(DType::kF32, 5, 96);
  x.FillRandom(7, 3.0);
  const TestQuantized int8(DType::kI8, 5, 96, 32);
  const TestQuantized e4m3(DType::kF8E4M3, 5, 96, 32);
  QuantizeActivationReference({x.view(), int8.view()});
  QuantizeActivationReference({x.view(), e4m3.view()});
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t column = 0; column < 96; ++column) {
      // Half a step, and the roundings of scale, inverse and product in F32 (2^-22 of the value).
      const double value = x.At(row, column);
      const auto scale = static_cast<double>(int8.Scale(row, column / 32));
      EXPECT_NEAR(int8.At(row, column), value, scale / 2 + std::ldexp(std::abs(value), -22));
      // E4M3: 2^-4 of a normal value, half a step of 2^-9 scales of a subnormal one.
      const auto wide = static_cast<double>(e4m3.Scale(row, column / 32));
      EXPECT_NEAR(e4m3.At(row, column), value,
                  std::max(std::abs(value) / 16, wide / 1024) + std::ldexp(std::abs(value), -22));
    }
  }
}

TEST(QuantizeActivationMath, RoundsToE4M3AsTheTensorModuleDoes) {
  // One in 4099 of the F32 numbers of magnitude 2^-14 to 512, in both signs.
  for (std::uint32_t bits = 0x38800000U; bits <= 0x44000000U; bits += 4099) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      const auto value = __builtin_bit_cast(float, bits | sign);
      ASSERT_EQ(QuantizeE4M3(value, 1.0F), tensor::FloatToE4M3(value)) << value;
    }
  }
  for (int code = 0; code < 256; ++code) {
    if ((code & 0x7F) == 0x7F) continue;
    const auto bits = static_cast<std::uint8_t>(code);
    const float value = tensor::E4M3ToFloat(bits);
    EXPECT_EQ(QuantizeE4M3(value, 1.0F), bits);
    const auto next = static_cast<std::uint8_t>(code + 1);
    if ((next & 0x7F) == 0x7F) continue;
    const float middle = (value + tensor::E4M3ToFloat(next)) / 2;  // exact: a tie
    EXPECT_EQ(QuantizeE4M3(middle, 1.0F), tensor::FloatToE4M3(middle)) << middle;
  }
}

TEST(QuantizeActivationMath, RoundsInt8TiesToEvenAndSaturates) {
  EXPECT_EQ(QuantizeInt8(0.5F, 1.0F), 0);
  EXPECT_EQ(QuantizeInt8(1.5F, 1.0F), 2);
  EXPECT_EQ(QuantizeInt8(-2.5F, 1.0F), -2);
  EXPECT_EQ(QuantizeInt8(-0.51F, 1.0F), -1);
  EXPECT_EQ(QuantizeInt8(1000.0F, 1.0F), 127);
  EXPECT_EQ(QuantizeInt8(-1000.0F, 1.0F), -127);
}

TEST(CheckQuantizeActivationArgs, NamesWhatDoesNotFit) {
  const TestActivation x(DType::kF32, 2, 8);
  const TestQuantized out(DType::kI8, 2, 8, 4);
  const QuantizeActivationArgs good = {x.view(), out.view()};
  EXPECT_EQ(MessageOf(good), "");
  QuantizeActivationArgs args = good;
  args.x.data = nullptr;
  EXPECT_EQ(MessageOf(args), "quantize_activation: x is null");
  args = good;
  args.out.columns = 4;
  EXPECT_EQ(MessageOf(args), "quantize_activation: out is [2, 4], must be [2, 8]");
  args = good;
  args.out.group = 5;
  EXPECT_EQ(MessageOf(args), "quantize_activation: out has group 5, must divide its 8 columns");
  args = good;
  args.out.quantized = x.view().data;
  EXPECT_EQ(MessageOf(args), "quantize_activation: out shares memory with x");
  args = good;
  args.out.scales = static_cast<float*>(x.view().data);
  EXPECT_EQ(MessageOf(args), "quantize_activation: out.scales shares memory with x");
}

}  // namespace
}  // namespace glint::kernels
