// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize_activation/quantize_activation_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/internal/test_cpu.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

using QuantizeActivationCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, QuantizeActivationCpuOn, EachIsa(), IsaTestName);

TEST_P(QuantizeActivationCpuOn, HasTheBitsOfTheReference) {
  for (const std::int64_t group : {8, 32, 128}) {
    TestActivation x(DType::kF32, 37, 640, 3);
    x.FillRandom(1, 50);
    auto* values = static_cast<float*>(x.view().data);
    for (int i = 0; i < 128; ++i) values[i] = 0;
    values[200] = std::numeric_limits<float>::infinity();
    values[400] = std::nanf("");
    values[500] = 0x1p-120F;
    const TestQuantized want(DType::kI8, 37, 640, group);
    QuantizeActivationReference({x.view(), want.view()});
    for (const int threads : {1, 3}) {
      const TestQuantized got(DType::kI8, 37, 640, group);
      const QuantizeActivationArgs args{x.view(), got.view()};
      ASSERT_EQ(CpuFallbackReason(args), "");
      RunOnCpu(QuantizeActivationCpu, isa(), threads, args);
      ASSERT_TRUE(SameCodes(got, want));
    }
  }
}

TEST(QuantizeActivationCpu, LeavesTheRestToTheReference) {
  TestActivation x(DType::kF32, 2, 24);
  x.FillRandom(1);
  const TestQuantized e4m3(DType::kF8E4M3, 2, 24, 8);
  const TestQuantized small(DType::kI8, 2, 24, 4);
  EXPECT_NE(CpuFallbackReason(QuantizeActivationArgs{x.view(), e4m3.view()}), "");
  EXPECT_NE(CpuFallbackReason(QuantizeActivationArgs{x.view(), small.view()}), "");
  const TestQuantized want(DType::kI8, 2, 24, 4);
  QuantizeActivationReference({x.view(), want.view()});
  RunOnCpu(QuantizeActivationCpu, DetectIsa(), 1, {x.view(), small.view()});
  ASSERT_TRUE(SameCodes(small, want));
}

}  // namespace
}  // namespace glint::kernels
