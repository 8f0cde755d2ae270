// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_rate.h"

#include <gtest/gtest.h>

#include "kernels/internal/test_isa.h"

namespace glint::kernels {
namespace {

// A loop that the compiler had dropped would be thousands of times as fast as any CPU.
TEST(ComputeRate, IsThatOfAMachine) {
  device::WorkerPool pool(1);
  for (const Isa isa : RunnableIsas()) {
    for (const Arithmetic arithmetic : {Arithmetic::kF32, Arithmetic::kInt8}) {
      const double rate = MeasureComputeRate(isa, pool, arithmetic);
      EXPECT_GT(rate, 1e7) << IsaName(isa);
      EXPECT_LT(rate, 1e13) << IsaName(isa);
    }
  }
}

}  // namespace
}  // namespace glint::kernels
