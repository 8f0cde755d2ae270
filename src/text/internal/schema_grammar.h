// SPDX-License-Identifier: Apache-2.0
// JSON schemas to rules of a grammar.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/grammar_compiler.h"
#include "text/internal/grammar_builder.h"
#include "text/internal/json_prelude.h"
#include "text/internal/schema_goals.h"
#include "text/internal/schema_text.h"

namespace glint::text {

// kInvalidArgument when the schema is larger than the limits allow.
Status CheckSchemaSize(const Json& schema, const GrammarLimits& limits);

// One per root schema; several may write to one builder. All arguments must outlive it.
class SchemaGrammar {
 public:
  SchemaGrammar(const Json& root, const Automaton& prelude, const GrammarLimits& limits,
                GrammarBuilder& builder, WorkBudget& budget);

  // A value for which the schemas of `goal` hold. After the last call comes Finish.
  Result<ExprId> Value(const SchemaSet& goal);

  // A string for which they hold as it stands, without quotes, and the token `end` behind it.
  Result<ExprId> RawString(const SchemaSet& goal, std::int32_t end);

  // Defines the rules that the values need.
  Status Finish();

  [[nodiscard]] SchemaGoals& goals() { return goals_; }

  // The members of objects for which the schemas of `set`, one alternative, hold.
  struct Member {
    std::string name;
    SchemaSet goal;
    bool required = false;
  };
  struct Members {
    bool possible = true;  // false: a required member is forbidden
    std::vector<Member> declared;
    bool open = true;  // other members may follow, with this goal:
    SchemaSet further;
  };
  Result<Members> MembersOf(const SchemaSet& set);

 private:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  struct ArrayFacts {
    std::int64_t at_least = 0;
    std::int64_t at_most = kNoLimit;
    std::int64_t placed = 0;  // items at the front with a schema of their own
    // Whether the items behind them must be counted.
    [[nodiscard]] bool counted() const { return at_most != kNoLimit || at_least > placed; }
  };
  static SchemaSet ItemGoal(const SchemaSet& set, std::int64_t index);
  static Result<ArrayFacts> FactsOfArray(const SchemaSet& set);

  Result<ExprId> Alternative(const SchemaSet& set);
  Result<ExprId> Values(const SchemaSet& set, const Json::Array& values);
  Result<ExprId> Object(const SchemaSet& set);
  Result<ExprId> Array(const SchemaSet& set);
  Result<ExprId> RestOfArray(const SchemaSet& set, const ArrayFacts& facts);
  Result<ExprId> RawAlternative(const SchemaSet& set, std::int32_t end);
  ExprId Literal(const Json& value);
  RuleId RuleOf(Fragment fragment);

  const Automaton& prelude_;
  const GrammarLimits& limits_;
  GrammarBuilder& builder_;
  WorkBudget& budget_;
  SchemaGoals goals_;
  TextRules text_;
  std::map<SchemaSet, RuleId> rules_;
  std::vector<std::pair<RuleId, std::vector<SchemaSet>>> pending_;
};

}  // namespace glint::text
