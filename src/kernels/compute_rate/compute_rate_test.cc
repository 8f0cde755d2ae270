// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_rate.h"

#include <gtest/gtest.h>

#include "kernels/internal/isa_fixture.h"

namespace glint::kernels {
namespace {

using ComputeRateOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, ComputeRateOn, EachIsa(), IsaTestName);

// A loop that the compiler had dropped would be thousands of times as fast as any CPU.
TEST_P(ComputeRateOn, IsThatOfAMachine) {
  device::WorkerPool pool(1);
  for (const Arithmetic arithmetic : {Arithmetic::kF32, Arithmetic::kInt8}) {
    const double rate = MeasureComputeRate(isa(), pool, arithmetic);
    EXPECT_GT(rate, 1e7);
    EXPECT_LT(rate, 1e13);
  }
}

}  // namespace
}  // namespace glint::kernels
