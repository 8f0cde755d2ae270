// SPDX-License-Identifier: Apache-2.0
#include "text/internal/rule_compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/internal/regex_parser.h"

namespace glint::text {
namespace {

Fragment Of(std::string_view pattern) {
  GrammarBuilder builder;
  WorkBudget budget(10'000'000);
  const ExprId body = ParseRegex(pattern, RegexMatch::kWhole, Spelling::kRaw, builder).value();
  return CompileRule(builder, body, RuleForm::kDeterministic, {}, budget).value();
}

Fragment Combined(std::string_view a, std::string_view b, Combination combination) {
  WorkBudget budget(10'000'000);
  return Combine(Of(a), Of(b), combination, {}, budget).value();
}

TEST(Combine, BothIsTheIntersection) {
  const Fragment both = Combined("[ab]*a", "a.*|b", Combination::kBoth);
  EXPECT_TRUE(Matches(both, "a"));
  EXPECT_TRUE(Matches(both, "aba"));
  EXPECT_FALSE(Matches(both, "ba"));
  EXPECT_FALSE(Matches(both, "b"));
  EXPECT_TRUE(Combined("a", "b", Combination::kBoth).states.empty());
}

TEST(Combine, FirstOnlyIsTheDifference) {
  const Fragment rest = Combined("[ab]{1,2}", "ab|b", Combination::kFirstOnly);
  EXPECT_TRUE(Matches(rest, "a"));
  EXPECT_TRUE(Matches(rest, "aa"));
  EXPECT_TRUE(Matches(rest, "bb"));
  EXPECT_FALSE(Matches(rest, "ab"));
  EXPECT_FALSE(Matches(rest, "b"));
  EXPECT_TRUE(Combined("a|b", "[a-c]", Combination::kFirstOnly).states.empty());
}

TEST(Combine, LeavesNoDeadEnds) {
  const Fragment both = Combined("abc|ax", "ab.|axy", Combination::kBoth);
  EXPECT_EQ(both.states.size(), 4U) << "only abc is left";
}

TEST(CompileRule, DeterministicTextHasOneEdgeForAByte) {
  const Fragment fragment = Of("(a|ab|abc)*[a-\xC3\xA9]");
  for (const Fragment::State& state : fragment.states) {
    for (std::size_t i = 1; i < state.edges.size(); ++i) {
      EXPECT_LT(state.edges[i - 1].high, state.edges[i].low);
    }
  }
}

TEST(CompileRule, StopsAtItsLimits) {
  GrammarBuilder builder;
  const ExprId body =
      ParseRegex("(a|b)*a(a|b){12}", RegexMatch::kWhole, Spelling::kRaw, builder).value();
  WorkBudget budget(100'000'000);
  EXPECT_FALSE(
      CompileRule(builder, body, RuleForm::kDeterministic, {.max_states = 4'000}, budget).ok());
  EXPECT_TRUE(CompileRule(builder, body, RuleForm::kDeterministic, {}, budget).ok());
  const Fragment small =
      CompileRule(builder, body, RuleForm::kSmall, {.max_states = 4'000}, budget).value();
  EXPECT_LT(small.states.size(), 100U);
  WorkBudget little(100);
  const auto refused = CompileRule(builder, body, RuleForm::kDeterministic, {}, little);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("too much work"), std::string::npos);
}

}  // namespace
}  // namespace glint::text
