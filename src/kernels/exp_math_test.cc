// SPDX-License-Identifier: Apache-2.0
#include "kernels/exp_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace glint::kernels {
namespace {

TEST(ExpMath, StaysWithinTwoUnitsOfTheLastPlace) {
  for (int step = 0; step < 100000; ++step) {
    const float x = -87.0F + static_cast<float>(step) * 0.001755F;
    const double exact = std::exp(static_cast<double>(x));
    // One unit in the last place is at most 2^-23 of the value.
    ASSERT_NEAR(ExpMath(x), exact, 2 * std::ldexp(exact, -23)) << x;
  }
}

TEST(ExpMath, ReachesSubnormalsZeroAndInfinity) {
  EXPECT_EQ(ExpMath(0.0F), 1.0F);
  EXPECT_NEAR(ExpMath(-100.0F), std::exp(-100.0), std::ldexp(1.0, -149));
  EXPECT_EQ(ExpMath(-std::numeric_limits<float>::infinity()), 0.0F);
  EXPECT_EQ(ExpMath(-1e9F), 0.0F);
  EXPECT_EQ(ExpMath(89.0F), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ExpMath(std::numeric_limits<float>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(ExpMath(std::numeric_limits<float>::quiet_NaN())));
}

TEST(SigmoidMath, HasTheRightEndsAndNoNan) {
  EXPECT_EQ(SigmoidMath(0.0F), 0.5F);
  EXPECT_EQ(SigmoidMath(-200.0F), 0.0F);
  EXPECT_EQ(SigmoidMath(200.0F), 1.0F);
  EXPECT_NEAR(SigmoidMath(-20.0F), 1 / (1 + std::exp(20.0)), 1e-15);
  EXPECT_TRUE(std::isnan(SigmoidMath(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace glint::kernels
