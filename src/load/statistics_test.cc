// SPDX-License-Identifier: Apache-2.0
#include "load/statistics.h"

#include <gtest/gtest.h>

namespace glint::load {
namespace {

// Expected values: numpy.percentile and numpy.std of the same lists.
TEST(Statistics, AsNumPy) {
  const auto summary = Summarize({4, 1, 3, 2}).value();
  EXPECT_EQ(summary.count, 4U);
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.std, 1.118033988749895);
  EXPECT_DOUBLE_EQ(Percentile(summary.sorted, 90), 3.7);
  EXPECT_DOUBLE_EQ(Percentile(summary.sorted, 0), 1);
  EXPECT_DOUBLE_EQ(Percentile(summary.sorted, 100), 4);
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.most, 4);
}

TEST(Statistics, OneValueAndNone) {
  const auto one = Summarize({5}).value();
  EXPECT_EQ(one.std, 0);
  EXPECT_EQ(Percentile(one.sorted, 99), 5);
  EXPECT_FALSE(Summarize({}).has_value());
}

}  // namespace
}  // namespace glint::load
