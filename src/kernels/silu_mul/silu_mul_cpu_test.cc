// SPDX-License-Identifier: Apache-2.0
#include "kernels/silu_mul/silu_mul_cpu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/internal/test_cpu.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/silu_mul/silu_mul_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

using SiluMulCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, SiluMulCpuOn, EachIsa(), IsaTestName);

TEST_P(SiluMulCpuOn, IsWithinTheBoundOfTheReference) {
  for (const std::int64_t columns : {1, 7, 8, 31, 9000}) {
    TestActivation gate(DType::kF32, 5, columns, 2);
    TestActivation up(DType::kF32, 5, columns);
    gate.FillRandom(1, 50);
    up.FillRandom(2);
    const TestActivation out(DType::kF32, 5, columns, 3);
    SiluMulArgs args{gate.view(), up.view(), out.view(), {}};
    ASSERT_EQ(CpuFallbackReason(args), "");
    RunOnCpu(SiluMulCpu, isa(), 2, args);
    for (std::int64_t i = 0; i < 5 * columns; ++i) {
      const std::int64_t row = i / columns;
      const std::int64_t column = i % columns;
      const double want = SiluMulExact(gate.At(row, column), up.At(row, column));
      // 8 * 2^-24 of the contract; below the normal numbers one step of 2^-149.
      ASSERT_NEAR(out.At(row, column), want,
                  std::ldexp(std::abs(want), -21) + std::ldexp(1.0, -149))
          << IsaName(isa()) << " " << gate.At(row, column);
    }
    EXPECT_TRUE(out.GapsAreUntouched());
  }
}

TEST_P(SiluMulCpuOn, GivesTheSameBitsForAnyRowsAndThreads) {
  TestActivation gate(DType::kF32, 40, 1003);
  TestActivation up(DType::kF32, 40, 1003);
  gate.FillRandom(1, 9);
  up.FillRandom(2);
  const TestActivation one(DType::kF32, 40, 1003);
  const TestActivation other(DType::kF32, 40, 1003);
  RunOnCpu(SiluMulCpu, isa(), 1, {gate.view(), up.view(), one.view(), {}});
  for (const int threads : {2, 3}) {
    RunOnCpu(SiluMulCpu, isa(), threads, {gate.view(), up.view(), other.view(), {}});
    ASSERT_TRUE(SameRows(one.view(), other.view()));
  }
  RunOnCpu(SiluMulCpu, isa(), 2,
           {RowOf(gate.view(), 39), RowOf(up.view(), 39), RowOf(other.view(), 0), {}});
  ASSERT_TRUE(SameRow(one.view(), 39, other.view(), 0));
  RunOnCpu(SiluMulCpu, isa(), 2, {gate.view(), up.view(), gate.view(), {}});
  ASSERT_TRUE(SameRows(one.view(), gate.view()));  // in place
}

TEST_P(SiluMulCpuOn, QuantisesWhatItWrites) {
  TestActivation gate(DType::kF32, 7, 96);
  TestActivation up(DType::kF32, 7, 96);
  gate.FillRandom(1, 9);
  up.FillRandom(2);
  const TestActivation out(DType::kF32, 7, 96);
  const TestQuantized fused(DType::kI8, 7, 96, 32);
  const TestQuantized apart(DType::kI8, 7, 96, 32);
  const SiluMulArgs args{gate.view(), up.view(), out.view(), fused.view()};
  ASSERT_EQ(CpuFallbackReason(args), "");
  RunOnCpu(SiluMulCpu, isa(), 2, args);
  QuantizeActivationReference({out.view(), apart.view()});
  EXPECT_TRUE(SameCodes(fused, apart));
}

TEST(SiluMulCpu, LeavesWhatItLacksToTheReferenceAndSaysWhy) {
  TestActivation gate(DType::kBF16, 2, 8);
  TestActivation up(DType::kF32, 2, 8);
  gate.FillRandom(1);
  up.FillRandom(2);
  const TestActivation out(DType::kF32, 2, 8);
  const TestActivation want(DType::kF32, 2, 8);
  const TestQuantized quantized(DType::kI8, 2, 8, 4);
  const SiluMulArgs args{gate.view(), up.view(), out.view(), {}};
  EXPECT_EQ(CpuFallbackReason(args), "silu_mul: no CPU kernel for BF16 activations, reference");
  EXPECT_EQ(CpuFallbackReason(SiluMulArgs{up.view(), up.view(), {}, quantized.view()}),
            "silu_mul: no CPU kernel for quantised output alone, reference");
  EXPECT_EQ(CpuFallbackReason(SiluMulArgs{up.view(), up.view(), out.view(), quantized.view()}),
            "silu_mul: no CPU kernel for groups of 4, reference");
  RunOnCpu(SiluMulCpu, Isa::kBaseline, 2, args);
  SiluMulReference({gate.view(), up.view(), want.view(), {}});
  EXPECT_TRUE(SameRows(out.view(), want.view()));
}

}  // namespace
}  // namespace glint::kernels
