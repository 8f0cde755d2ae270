// SPDX-License-Identifier: Apache-2.0
// Strings and numbers of JSON schemas as rules of a grammar: lengths, patterns, formats, bounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "text/internal/grammar_builder.h"
#include "text/internal/rule_compiler.h"
#include "text/internal/schema_goals.h"

namespace glint::text {

// Counters of a frame; `room` < 0: no limit. kInvalidArgument when `need` is beyond all texts.
Result<Counters> CountersOf(std::int64_t need, std::int64_t room);

// Writes to `builder`, which must outlive it, as must `budget`. Each set is one alternative of
// SchemaGoals.
class TextRules {
 public:
  TextRules(const RuleLimits& limits, GrammarBuilder& builder, WorkBudget& budget)
      : limits_(limits), builder_(builder), budget_(budget) {}

  Result<ExprId> Number(const SchemaSet& set, bool whole_only);
  Result<ExprId> JsonString(const SchemaSet& set);
  // As it stands, without quotes, and the token `end` behind it.
  Result<ExprId> RawString(const SchemaSet& set, std::int32_t end);

 private:
  struct StringFacts {
    std::int64_t at_least = 0;
    std::int64_t at_most = -1;                           // < 0: no limit
    std::vector<std::pair<std::string, bool>> patterns;  // and whether of all the text
    [[nodiscard]] bool possible() const { return at_most < 0 || at_least <= at_most; }
  };
  static StringFacts FactsOf(const SchemaSet& set);

  Result<ExprId> Patterned(const StringFacts& facts, Spelling spelling, std::int32_t end);
  Result<Fragment> Content(const StringFacts& facts, Spelling spelling);
  Result<Fragment> Compile(const GrammarBuilder& builder, ExprId body);
  Result<Fragment> Both(const std::optional<Fragment>& a, Fragment b);

  RuleLimits limits_;
  GrammarBuilder& builder_;
  WorkBudget& budget_;
  std::map<std::string, RuleId> rules_;  // by what they say
};

}  // namespace glint::text
