// SPDX-License-Identifier: Apache-2.0
// Taking JSON schemas apart: what must hold for one value, as alternatives without $ref, allOf,
// anyOf and oneOf.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/internal/schema_check.h"

namespace glint::text {

// Schemas that all must hold, none twice. Members of objects come in their order.
using SchemaSet = std::vector<const Json*>;
// Keeps the first of equals.
SchemaSet MakeSchemaSet(const std::vector<const Json*>& schemas);

// Thread-compatible. `root` and `budget` must outlive it, and it must not be moved.
class SchemaGoals {
 public:
  SchemaGoals(const Json& root, const RuleLimits& limits, WorkBudget& budget)
      : root_(root), budget_(budget), checker_(root, limits, budget) {}

  // One of the sets must hold; of the schemas in them only their own assertions still count. Not
  // one set: no value will do. kInvalidArgument for what is malformed, refused or too large, for
  // circles without a value in between, and for a oneOf whose schemas may hold at once.
  Result<std::vector<SchemaSet>> Alternatives(const SchemaSet& goal);

  [[nodiscard]] SchemaChecker& checker() { return checker_; }

 private:
  struct Branch {
    std::vector<const Json*> open;     // not looked at yet, the next one last
    SchemaSet done;                    // in the order of looking
    std::vector<const Json*> choices;  // arrays of schemas, one of each must hold
  };

  Status CheckNoCircle(const Json& schema, int depth);
  Result<bool> Open(Branch& branch);
  Status CheckDisjoint(const Json::Array& schemas);
  Result<bool> Disjoint(const SchemaSet& a, const SchemaSet& b, int depth);
  Result<bool> DisjointSets(const SchemaSet& a, const SchemaSet& b, int depth);
  Result<bool> DisjointObjects(const SchemaSet& a, const SchemaSet& b, int depth);
  [[nodiscard]] const Json* Target(const Json& reference) const;

  const Json& root_;
  WorkBudget& budget_;
  SchemaChecker checker_;
  std::unordered_map<const Json*, bool> circle_free_;  // false: being looked at
  std::unordered_set<const Json*> disjoint_;           // arrays of oneOf
};

// What the schemas of one alternative say together.
unsigned TypesOf(const SchemaSet& set);
// The shortest list of values that one of them allows, or null: no list.
const Json::Array* ValuesOf(const SchemaSet& set, Json::Array& constant);
// What must hold for the member `name`: of each schema the one for that name.
SchemaSet MemberGoal(const SchemaSet& set, std::string_view name);
// Whether a schema of the set is `false`.
bool HoldsFalse(const SchemaSet& set);
// The largest (or smallest) value of a size keyword; `otherwise` when none of them has it.
std::int64_t SizeOf(const SchemaSet& set, const char* keyword, bool largest,
                    std::int64_t otherwise);
bool IsRequired(const SchemaSet& set, std::string_view name);

}  // namespace glint::text
