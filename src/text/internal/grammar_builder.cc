// SPDX-License-Identifier: Apache-2.0
#include "text/internal/grammar_builder.h"

#include <utility>

#include "base/check.h"

namespace glint::text {

ExprId GrammarBuilder::Bytes(std::string_view text, std::uint8_t flags) {
  return Add({.kind = Expr::Kind::kBytes, .flags = flags, .text = std::string(text)});
}

ExprId GrammarBuilder::Class(CodePointSet set, Spelling spelling, std::uint8_t flags) {
  return Add(
      {.kind = Expr::Kind::kClass, .flags = flags, .spelling = spelling, .set = std::move(set)});
}

ExprId GrammarBuilder::Token(std::int32_t token, std::uint8_t flags) {
  return Add({.kind = Expr::Kind::kToken, .flags = flags, .a = token});
}

ExprId GrammarBuilder::Call(RuleId rule, Counters counters, std::uint8_t flags) {
  return Add({.kind = Expr::Kind::kCall, .flags = flags, .a = rule, .counters = counters});
}

ExprId GrammarBuilder::Sequence(std::vector<ExprId> children) {
  return Add({.kind = Expr::Kind::kSequence, .children = std::move(children)});
}

ExprId GrammarBuilder::Choice(std::vector<ExprId> children) {
  return Add({.kind = Expr::Kind::kChoice, .children = std::move(children)});
}

ExprId GrammarBuilder::Repeat(ExprId child, std::int32_t at_least, std::int32_t at_most) {
  return Add({.kind = Expr::Kind::kRepeat, .a = at_least, .b = at_most, .children = {child}});
}

ExprId GrammarBuilder::Embed(Fragment fragment) {
  return Add({.kind = Expr::Kind::kFragment, .fragment = std::move(fragment)});
}

ExprId GrammarBuilder::Members(std::vector<ExprId> members, std::vector<bool> optional,
                               ExprId separator, ExprId further) {
  GLINT_CHECK(members.size() == optional.size(), "one bit a member");
  return Add({.kind = Expr::Kind::kMembers,
              .a = separator,
              .b = further,
              .children = std::move(members),
              .optional = std::move(optional)});
}

RuleId GrammarBuilder::NewRule() {
  rules_.emplace_back();
  return first_rule_ + static_cast<RuleId>(rules_.size()) - 1;
}

void GrammarBuilder::Define(RuleId rule, ExprId body) {
  rules_[static_cast<std::size_t>(rule - first_rule_)].body = body;
}

ExprId GrammarBuilder::Add(Expr expr) {
  exprs_.push_back(std::move(expr));
  return static_cast<ExprId>(exprs_.size()) - 1;
}

}  // namespace glint::text
