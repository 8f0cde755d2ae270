// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace glint {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument("value is odd");
  return value / 2;
}

Status CheckQuarter(int value) {
  GLINT_ASSIGN(const int half, Half(value));
  GLINT_TRY(Half(half));
  return Ok();
}

TEST(Result, HoldsValueOrError) {
  EXPECT_EQ(Half(4).value(), 2);
  EXPECT_EQ(Half(3).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Half(3).error().message, "value is odd");
}

TEST(Result, MacrosReturnTheFirstError) {
  EXPECT_TRUE(CheckQuarter(8).ok());
  EXPECT_FALSE(CheckQuarter(3).ok());
  EXPECT_FALSE(CheckQuarter(6).ok());
}

TEST(Result, MovesOutWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
  std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, ValueOfAnErrorEndsTheProcessWithItsMessage) {
  EXPECT_DEATH((void)Half(3).value(), "value is odd");
}

TEST(ResultDeathTest, CheckPrintsConditionAndDetail) {
  EXPECT_DEATH(GLINT_CHECK(1 + 1 == 3, "arithmetic holds"), "1 \\+ 1 == 3: arithmetic holds");
}

TEST(Result, EveryCodeHasAName) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCancelled); ++code) {
    EXPECT_STRNE(ErrorCodeName(static_cast<ErrorCode>(code)), "unknown");
  }
}

}  // namespace
}  // namespace glint
