// SPDX-License-Identifier: Apache-2.0
// Whether a JSON value satisfies a JSON schema, for the keywords that grammars support. Serves
// `enum` beside other keywords, and tests.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "text/internal/automaton.h"
#include "text/internal/rule_compiler.h"

namespace glint::text {

// Numbers are equal by value, objects whatever the order of their members.
bool SameJson(const Json& a, const Json& b);

// Sets of JSON types.
enum SchemaType : unsigned {
  kTypeNull = 1,
  kTypeBoolean = 2,
  kTypeInteger = 4,
  kTypeFraction = 8,  // numbers that are no integers
  kTypeString = 16,
  kTypeArray = 32,
  kTypeObject = 64,
  kAllTypes = 127,
};
unsigned TypeOf(const Json& value);
// Of the name in a `type` keyword; 0: there is none.
unsigned TypesNamed(std::string_view name);

// Thread-compatible. `root` and `budget` must outlive it.
class SchemaChecker {
 public:
  SchemaChecker(const Json& root, const RuleLimits& limits, WorkBudget& budget)
      : root_(root), limits_(limits), budget_(budget) {}

  // kInvalidArgument when the schema is malformed or too deep.
  Result<bool> Satisfies(const Json& value, const Json& schema);

  // The same where `value` is one of `values`: an `enum` keyword with that array is not looked
  // through again.
  Result<bool> SatisfiesOneOf(const Json& value, const Json::Array& values, const Json& schema);

 private:
  Result<bool> Check(const Json& value, const Json& schema, int depth);
  Result<bool> CheckChoices(const Json& value, const Json& schema, int depth);
  Result<bool> CheckString(const std::string& value, const Json& schema);
  Result<bool> CheckArray(const Json::Array& value, const Json& schema, int depth);
  Result<bool> CheckObject(const Json& value, const Json& schema, int depth);
  Result<bool> CheckValue(const Json& value, const Json& schema);
  Result<bool> MatchesPattern(std::string_view text, std::string_view pattern, bool whole);

  const Json& root_;
  RuleLimits limits_;
  WorkBudget& budget_;
  std::map<std::pair<std::string, bool>, Fragment> patterns_;
  const Json* known_value_ = nullptr;  // of known_values_
  const Json::Array* known_values_ = nullptr;
};

}  // namespace glint::text
