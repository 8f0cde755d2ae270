// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/linear_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/internal/test_cpu.h"
#include "kernels/linear/linear_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t outputs;
};

LinearArgs ArgsOf(const TestActivation& x, const TestWeight& weight, const TestActivation& out) {
  LinearArgs args;
  args.x = x.view();
  args.weight = weight.view();
  args.out = out.view();
  return args;
}

// The contract's (K + 4) * 2^-24 * (sum of |x w| + |bias|), and half a step of F32 each for the
// roundings of both outputs.
double Bound(const LinearArgs& args, std::int64_t row, std::int64_t n, double want) {
  const auto* x = static_cast<const float*>(args.x.data) + row * args.x.stride;
  double size = args.bias.data.data == nullptr ? 0 : std::abs(args.bias.data.At(n));
  for (std::int64_t k = 0; k < args.weight.columns; ++k) {
    size += std::abs(static_cast<double>(x[k]) * tensor::WeightElement(args.weight, n, k));
  }
  return std::ldexp(static_cast<double>(args.weight.columns + 4) * size + 2 * std::abs(want), -24);
}

void ExpectReference(Isa isa, DType dtype, Shape shape) {
  TestActivation x(DType::kF32, shape.rows, shape.columns, 3);
  x.FillRandom(1);
  const TestWeight weight({WeightFormat::kPlain, dtype}, shape.outputs, shape.columns, 2);
  const TestWeight bias({WeightFormat::kPlain, dtype}, shape.outputs, 1, 3);
  const TestActivation out(DType::kF32, shape.rows, shape.outputs, 5);
  const TestActivation want(DType::kF32, shape.rows, shape.outputs);
  LinearArgs args = ArgsOf(x, weight, want);
  if (shape.outputs % 2 == 1) args.bias = bias.view();
  LinearReference(args);
  args.out = out.view();
  ASSERT_TRUE(CheckLinearArgs(args).ok());
  ASSERT_EQ(CpuFallbackReason(args), "");
  RunOnCpu(LinearCpu, isa, 2, args);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t n = 0; n < shape.outputs; ++n) {
      ASSERT_NEAR(out.At(row, n), want.At(row, n), Bound(args, row, n, want.At(row, n)))
          << IsaName(isa) << " " << tensor::DTypeName(dtype) << " row " << row << " output " << n;
    }
  }
  EXPECT_TRUE(out.GapsAreUntouched());
}

using LinearCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, LinearCpuOn, EachIsa(), IsaTestName);

TEST_P(LinearCpuOn, IsWithinTheBoundOfTheReference) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (const Shape shape :
         {Shape{1, 1, 1}, Shape{1, 7, 9}, Shape{1, 64, 20}, Shape{2, 8, 3}, Shape{3, 13, 4},
          Shape{4, 40, 8}, Shape{9, 33, 101}, Shape{21, 5003, 7}}) {
      ExpectReference(isa(), dtype, shape);
    }
  }
}

TEST_P(LinearCpuOn, GivesTheSameBitsForAnyRowsAndThreads) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    TestActivation x(DType::kF32, 23, 1003, 1);
    x.FillRandom(4);
    const TestWeight weight({WeightFormat::kPlain, dtype}, 203, 1003, 5);
    const TestActivation together(DType::kF32, 23, 203);
    const TestActivation other(DType::kF32, 23, 203, 1);
    LinearArgs args = ArgsOf(x, weight, together);
    RunOnCpu(LinearCpu, isa(), 1, args);
    for (const int threads : {2, 3}) {
      args.out = other.view();
      RunOnCpu(LinearCpu, isa(), threads, args);
      ASSERT_TRUE(SameRows(together.view(), other.view())) << IsaName(isa()) << threads;
    }
    for (const std::int64_t row : {0, 3, 4, 22}) {
      args.x = RowOf(x.view(), row);
      args.out = RowOf(other.view(), 0);
      RunOnCpu(LinearCpu, isa(), 2, args);
      ASSERT_TRUE(SameRow(together.view(), row, other.view(), 0)) << IsaName(isa()) << row;
    }
  }
}

TEST_P(LinearCpuOn, WritesNothingInAStepWithoutRows) {
  const TestActivation x(DType::kF32, 1, 4);
  const TestWeight weight({WeightFormat::kPlain, DType::kF32}, 3, 4, 1);
  const TestActivation out(DType::kF32, 1, 3);
  LinearArgs args = ArgsOf(x, weight, out);
  args.x.rows = 0;
  args.out.rows = 0;
  RunOnCpu(LinearCpu, isa(), 2, args);
  EXPECT_TRUE(out.IsUntouched(0, 0, 3));
}

TEST_P(LinearCpuOn, ReadsInfinitiesAndSubnormalsOfF16) {
  TestWeight weight({WeightFormat::kPlain, DType::kF16}, 3, 1, 1);
  weight.SetData(0, INFINITY);
  weight.SetData(1, -std::ldexp(3.0, -24));
  weight.SetData(2, NAN);
  TestActivation x(DType::kF32, 1, 1);
  x.Set(0, 0, 1);
  const TestActivation out(DType::kF32, 1, 3);
  RunOnCpu(LinearCpu, isa(), 1, ArgsOf(x, weight, out));
  EXPECT_EQ(out.At(0, 0), INFINITY);
  EXPECT_EQ(out.At(0, 1), -std::ldexp(3.0, -24));
  EXPECT_TRUE(std::isnan(out.At(0, 2)));
}

TEST(LinearCpu, LeavesWhatItLacksToTheReferenceAndSaysWhy) {
  const TestActivation x(DType::kF32, 1, 64);
  const TestActivation bf16(DType::kBF16, 1, 64);
  const TestWeight plain({WeightFormat::kPlain, DType::kBF16}, 2, 64, 1);
  const TestWeight int8({WeightFormat::kInt8Channel, DType::kF32}, 2, 64, 1);
  const TestQuantized quantized(DType::kI8, 1, 64, 32);
  const TestActivation out(DType::kF32, 1, 2);
  const TestActivation want(DType::kF32, 1, 2);
  LinearArgs args = ArgsOf(x, plain, out);
  args.x = bf16.view();
  EXPECT_EQ(CpuFallbackReason(args), "linear: no CPU kernel for BF16 activations, reference");
  args.x = {};
  args.quantized_x = quantized.view();
  EXPECT_EQ(CpuFallbackReason(args),
            "linear: no CPU kernel for quantised input with plain weights in rows, reference");
  args = ArgsOf(x, int8, out);
  EXPECT_EQ(CpuFallbackReason(args), "linear: no CPU kernel for int8 channel weights, reference");
  RunOnCpu(LinearCpu, Isa::kBaseline, 2, args);
  args.out = want.view();
  LinearReference(args);
  EXPECT_TRUE(SameRows(out.view(), want.view()));
}

}  // namespace
}  // namespace glint::kernels
