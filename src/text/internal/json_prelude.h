// SPDX-License-Identifier: Apache-2.0
// The rules that all grammars of JSON share. decisions/0007-grammar.md says what spellings they
// take and why.
#pragma once

#include <cstdint>

#include "text/internal/automaton.h"
#include "text/internal/grammar_builder.h"

namespace glint::text {

// Rules of the prelude, by id.
enum PreludeRule : RuleId {
  kRuleSpace,          // not empty; optional where it may stand
  kRuleString,         // any string
  kRuleCountedString,  // any string, each character counted
  kRuleKey,            // any string in its one spelling, deterministic
  kRuleNumber,
  kRuleInteger,
  kRuleValue,           // any value
  kRuleObject,          // any object
  kRuleRawText,         // any characters up to the token </arg_value>, and that token
  kRuleCountedRawText,  // the same, each character counted
  kPreludeRules,
};

struct Prelude {
  Automaton automaton;
};

// `end_of_value` is the token </arg_value>; < 0: there is none, and no raw text.
Prelude MakePrelude(std::int32_t end_of_value);

// A number without fraction or exponent, and with both. At most 32 digits in a row, so that each
// is within the range of a double.
inline constexpr std::int32_t kMaxDigits = 32;
ExprId IntegerExpr(GrammarBuilder& builder);
ExprId NumberExpr(GrammarBuilder& builder);
ExprId PlainNumberExpr(GrammarBuilder& builder);  // without exponent

// The rest of an object behind its brace: optional space around `members`, and the closing brace.
ExprId OptionalSpace(GrammarBuilder& builder);
ExprId ObjectExpr(GrammarBuilder& builder, ExprId members);
ExprId CommaExpr(GrammarBuilder& builder, std::uint8_t flags = 0);
ExprId ColonExpr(GrammarBuilder& builder);

}  // namespace glint::text
