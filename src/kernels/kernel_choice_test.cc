// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_choice.h"

#include <gtest/gtest.h>

namespace glint::kernels {
namespace {

KernelKey Linear(std::int64_t rows, bool invariant) {
  return {.operation = "linear",
          .formats = "bf16:f32",
          .device = "cpu-avx2",
          .row_bucket = RowBucket(rows),
          .outputs = 6144,
          .inputs = 2048,
          .invariant = invariant};
}

TEST(KernelChoices, BucketsArePowersOfTwo) {
  EXPECT_EQ(RowBucket(1), 1);
  EXPECT_EQ(RowBucket(3), 4);
  EXPECT_EQ(RowBucket(64), 64);
}

TEST(KernelChoices, InvarianceIsPartOfTheKey) {
  KernelChoices choices("reference");
  choices.Add(Linear(1, true), "rows1");
  choices.Add(Linear(1, false), "split_k");
  FallbackLog log;
  EXPECT_EQ(choices.Choose(Linear(1, true), log), "rows1");
  EXPECT_EQ(choices.Choose(Linear(1, false), log), "split_k");
  EXPECT_TRUE(log.Counts().empty());
}

TEST(KernelChoices, AShapeWithoutEntryIsLoud) {
  const KernelChoices choices("reference");
  FallbackLog log;
  testing::internal::CaptureStderr();
  EXPECT_EQ(choices.Choose(Linear(3, true), log), "reference");
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(log.Counts().size(), 1U);
  EXPECT_EQ(log.Counts().begin()->first,
            "linear: no kernel was chosen for 4 rows, [6144, 2048] bf16:f32 on cpu-avx2, "
            "invariant, taking reference");
}

}  // namespace
}  // namespace glint::kernels
