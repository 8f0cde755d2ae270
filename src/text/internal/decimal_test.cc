// SPDX-License-Identifier: Apache-2.0
#include "text/internal/decimal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/internal/rule_compiler.h"

namespace glint::text {
namespace {

Decimal Of(std::string_view text) { return ParseDecimal(text).value(); }

TEST(Decimal, ReadsNumbersAsTheyAre) {
  EXPECT_EQ(Of("1.50"), Of("15e-1"));
  EXPECT_EQ(Of("0.0"), Of("-0"));
  EXPECT_EQ(Of("1e3").whole, "1000");
  EXPECT_EQ(Of("-12.5E1").whole, "125");
  EXPECT_TRUE(Of("-12.5E1").negative);
  EXPECT_EQ(Of("5e-3").fraction, "005");
  EXPECT_EQ(Of("123456789012345678901234567890").whole.size(), 30U);
  EXPECT_EQ(ParseDecimal("1e999999999999"), std::nullopt);
  EXPECT_EQ(ParseDecimal("1e500"), std::nullopt);
}

TEST(Decimal, Compares) {
  const std::string_view ascending[] = {"-10", "-9.5", "-9", "-0.1", "0",  "0.01",
                                        "0.1", "0.11", "2",  "10",   "100"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t k = 0; k < std::size(ascending); ++k) {
      EXPECT_EQ(Compare(Of(ascending[i]), Of(ascending[k])), i <=> k)
          << ascending[i] << ' ' << ascending[k];
    }
  }
}

// Against comparison, over many bounds and numbers.
TEST(BoundedNumber, IsTheNumbersOnOneSide) {
  const std::string_view numbers[] = {"0",    "1",    "2",     "9",    "10",    "11",   "19",
                                      "20",   "99",   "100",   "101",  "999",   "1000", "-1",
                                      "-2",   "-9",   "-10",   "-11",  "-99",   "-100", "0.5",
                                      "0.05", "1.0",  "1.5",   "1.50", "1.501", "1.49", "9.99",
                                      "-0.5", "-1.5", "-1.51", "-1.4", "10.01", "0.10"};
  for (const std::string_view bound : numbers) {
    for (const BoundSide side : {BoundSide::kAtLeast, BoundSide::kAtMost}) {
      for (const bool strict : {false, true}) {
        for (const bool whole_only : {false, true}) {
          GrammarBuilder builder;
          WorkBudget budget(10'000'000);
          const ExprId expr = BoundedNumber(builder, Of(bound), side, strict, whole_only);
          const Fragment fragment =
              CompileRule(builder, expr, RuleForm::kDeterministic, {}, budget).value();
          for (const std::string_view number : numbers) {
            const bool whole = number.find('.') == std::string_view::npos;
            const auto order = Compare(Of(number), Of(bound));
            const bool inside = order == 0 ? !strict : (order > 0) == (side == BoundSide::kAtLeast);
            EXPECT_EQ(Matches(fragment, number), inside && (whole || !whole_only))
                << number << (side == BoundSide::kAtLeast ? " >" : " <") << (strict ? " " : "= ")
                << bound << (whole_only ? " whole" : "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace glint::text
