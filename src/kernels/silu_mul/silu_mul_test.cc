// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/silu_mul/silu_mul_math.h"
#include "kernels/silu_mul/silu_mul_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

std::string MessageOf(const SiluMulArgs& args) {
  const Status status = CheckSiluMulArgs(args);
  return status.ok() ? "" : status.error().message;
}

// The two halves of gate_up.
Activation Half(const Activation& both, std::int64_t half) {
  Activation view = both;
  view.columns = both.columns / 2;
  view.data = static_cast<char*>(both.data) + half * view.columns * tensor::DTypeBytes(both.dtype);
  return view;
}

TEST(SiluMulReference, TakesTheGateFromTheFirstHalf) {
  TestActivation both(DType::kF32, 2, 4, 1);
  const std::vector<double> values = {0, std::log(3.0), 5, 8, -100, 100, 7, 2};
  for (std::int64_t i = 0; i < 8; ++i) both.Set(i / 4, i % 4, values[static_cast<std::size_t>(i)]);
  const TestActivation out(DType::kF32, 2, 2, 3);
  const SiluMulArgs args = {Half(both.view(), 0), Half(both.view(), 1), out.view(), {}};
  EXPECT_EQ(MessageOf(args), "");
  SiluMulReference(args);
  EXPECT_EQ(out.At(0, 0), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(out.At(0, 1)),
                  static_cast<float>(std::log(3.0) * 0.75 * 8));  // sigmoid(ln 3) = 3/4
  EXPECT_NEAR(out.At(1, 0), 0, 1e-30);
  EXPECT_EQ(out.At(1, 1), 200);
  EXPECT_TRUE(out.GapsAreUntouched());
}

TEST(SiluMulReference, MayWriteOverItsGate) {
  TestActivation both(DType::kBF16, 3, 8);
  both.FillRandom(5, 4);
  const TestActivation apart(DType::kBF16, 3, 4);
  const Activation gate = Half(both.view(), 0);
  const Activation up = Half(both.view(), 1);
  SiluMulReference({gate, up, apart.view(), {}});
  EXPECT_EQ(MessageOf({gate, up, gate, {}}), "");
  SiluMulReference({gate, up, gate, {}});
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t column = 0; column < 4; ++column) {
      EXPECT_EQ(both.At(row, column), apart.At(row, column));
    }
  }
}

TEST(SiluMulReference, QuantizesTheValueBeforeItsRounding) {
  for (const DType dtype : {DType::kI8, DType::kF8E4M3}) {
    TestActivation gate(DType::kF32, 3, 64);
    TestActivation up(DType::kBF16, 3, 64);
    gate.FillRandom(1, 5);
    up.FillRandom(2, 5);
    const TestActivation rounded(DType::kBF16, 3, 64);
    const TestActivation exact(DType::kF32, 3, 64);
    const TestQuantized quantized(dtype, 3, 64, 32);
    const TestQuantized composed(dtype, 3, 64, 32);
    SiluMulReference({gate.view(), up.view(), rounded.view(), quantized.view()});
    SiluMulReference({gate.view(), up.view(), exact.view(), {}});
    QuantizeActivationReference({exact.view(), composed.view()});
    for (std::int64_t i = 0; i < 192; ++i) {
      ASSERT_EQ(quantized.At(i / 64, i % 64), composed.At(i / 64, i % 64));
    }
  }
}

TEST(SiluMulMath, StaysWithinItsErrorBound) {
  for (int step = -4000; step <= 4000; ++step) {
    const float gate = static_cast<float>(step) * 0.02F;
    const double exact = SiluMulExact(gate, 1.5);
    ASSERT_NEAR(SiluMulMath(gate, 1.5F), exact, 8 * std::ldexp(std::abs(exact), -24)) << gate;
  }
  EXPECT_EQ(SiluMulMath(-200.0F, 3.0F), 0.0F);
  EXPECT_EQ(SiluMulMath(200.0F, 3.0F), 600.0F);
}

TEST(CheckSiluMulArgs, NamesWhatDoesNotFit) {
  const TestActivation gate(DType::kF32, 2, 8);
  const TestActivation up(DType::kBF16, 2, 8);
  const TestActivation out(DType::kF32, 2, 8);
  const TestQuantized quantized(DType::kI8, 2, 8, 4);
  const SiluMulArgs good = {gate.view(), up.view(), out.view(), quantized.view()};
  EXPECT_EQ(MessageOf(good), "");
  SiluMulArgs args = good;
  args.out = {};
  EXPECT_EQ(MessageOf(args), "");
  args.quantized = {};
  EXPECT_EQ(MessageOf(args), "silu_mul: out and quantized are both null");
  args = good;
  args.up.columns = 4;
  EXPECT_EQ(MessageOf(args), "silu_mul: up is [2, 4], must be [2, 8]");
  args = good;
  args.quantized.rows = 1;
  EXPECT_EQ(MessageOf(args), "silu_mul: quantized is [1, 8], must be [2, 8]");
  args = good;
  args.out.data = static_cast<float*>(args.gate.data) + 1;
  EXPECT_EQ(MessageOf(args), "silu_mul: out shares memory with gate");
  args = good;
  args.quantized.quantized = args.up.data;
  EXPECT_EQ(MessageOf(args), "silu_mul: quantized shares memory with up");
}

}  // namespace
}  // namespace glint::kernels
