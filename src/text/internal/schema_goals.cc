// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_goals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "text/internal/json_pointer.h"
#include "text/internal/schema_keywords.h"

namespace glint::text {
namespace {

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxAlternatives = 1'000;
constexpr int kMaxDiscriminatorDepth = 3;

Error TooMuchWork() { return InvalidArgument("the schema takes too much work to compile"); }

}  // namespace

SchemaSet MakeSchemaSet(const std::vector<const Json*>& schemas) {
  SchemaSet set;
  set.reserve(schemas.size());
  for (const Json* schema : schemas) {
    if (std::find(set.begin(), set.end(), schema) == set.end()) set.push_back(schema);
  }
  return set;
}

Result<std::vector<SchemaSet>> SchemaGoals::Alternatives(const SchemaSet& goal) {
  for (const Json* schema : goal) GLINT_TRY(CheckNoCircle(*schema, 0));
  std::vector<SchemaSet> result;
  std::vector<Branch> branches = {
      {.open = SchemaSet(goal.rbegin(), goal.rend()), .done = {}, .choices = {}}};
  while (!branches.empty()) {
    Branch branch = std::move(branches.back());
    branches.pop_back();
    GLINT_ASSIGN(const bool possible, Open(branch));
    if (!possible) continue;
    if (branch.choices.empty()) {
      result.push_back(std::move(branch.done));
      continue;
    }
    const Json::Array& choice = *branch.choices.back()->array();
    branch.choices.pop_back();
    if (branches.size() + choice.size() + result.size() > kMaxAlternatives) {
      return InvalidArgument(
          format("anyOf, oneOf and allOf make more than {} alternatives", kMaxAlternatives));
    }
    // The first ends up on top.
    for (auto one = choice.rbegin(); one != choice.rend(); ++one) {
      if (!budget_.Spend(static_cast<std::int64_t>(branch.done.size()) + 50)) return TooMuchWork();
      branches.push_back(branch);
      branches.back().open.push_back(&*one);
    }
  }
  return result;
}

// Empties `open`. False when a schema is `false`.
Result<bool> SchemaGoals::Open(Branch& branch) {
  while (!branch.open.empty()) {
    const Json* schema = branch.open.back();
    branch.open.pop_back();
    if (!budget_.Spend(20)) return TooMuchWork();
    if (schema->boolean() != nullptr) {
      if (!*schema->boolean()) return false;
      continue;
    }
    if (std::find(branch.done.begin(), branch.done.end(), schema) != branch.done.end()) continue;
    branch.done.push_back(schema);
    if (const Json* all = schema->Find("allOf")) {
      for (std::size_t i = all->array()->size(); i-- > 0;)
        branch.open.push_back(&(*all->array())[i]);
    }
    if (const Json* reference = schema->Find("$ref")) branch.open.push_back(Target(*reference));
    if (const Json* any = schema->Find("anyOf")) branch.choices.push_back(any);
    if (const Json* one = schema->Find("oneOf")) {
      GLINT_TRY(CheckDisjoint(*one->array()));
      branch.choices.push_back(one);
    }
  }
  return true;
}

// Checks the keywords too: whatever an alternative is made of has been here.
Status SchemaGoals::CheckNoCircle(const Json& schema, int depth) {
  const auto [at, added] = circle_free_.try_emplace(&schema, false);
  if (!added) {
    if (at->second) return Ok();
    return InvalidArgument("a $ref leads back to itself with no value in between");
  }
  if (depth > kMaxDepth) return InvalidArgument("the schema is too deep");
  if (!budget_.Spend(50)) return TooMuchWork();
  GLINT_TRY(CheckKeywords(schema));
  // Within a schema that has one, references would start from there.
  if (&schema != &root_ && schema.Find("$id") != nullptr) {
    return InvalidArgument("$id is supported in the outermost schema only");
  }
  if (const Json* reference = schema.Find("$ref")) {
    const Json* target = Target(*reference);
    if (target == nullptr) {
      return InvalidArgument(format("$ref {} leads nowhere", Quoted(*reference->string())));
    }
    GLINT_TRY(CheckNoCircle(*target, depth + 1));
  }
  for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
    const Json* schemas = schema.Find(keyword);
    if (schemas == nullptr) continue;
    for (const Json& one : *schemas->array()) GLINT_TRY(CheckNoCircle(one, depth + 1));
  }
  circle_free_[&schema] = true;
  return Ok();
}

Status SchemaGoals::CheckDisjoint(const Json::Array& schemas) {
  if (!disjoint_.insert(schemas.data()).second) return Ok();
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      GLINT_ASSIGN(const bool disjoint, Disjoint({&schemas[k]}, {&schemas[i]}, 0));
      if (disjoint) continue;
      return InvalidArgument(
          format("oneOf: schemas {} and {} are not known to exclude each other", k, i));
    }
  }
  return Ok();
}

Result<bool> SchemaGoals::Disjoint(const SchemaSet& a, const SchemaSet& b, int depth) {
  GLINT_ASSIGN(const auto a_sets, Alternatives(a));
  GLINT_ASSIGN(const auto b_sets, Alternatives(b));
  for (const SchemaSet& x : a_sets) {
    for (const SchemaSet& y : b_sets) {
      if (!budget_.Spend(100)) return TooMuchWork();
      GLINT_ASSIGN(const bool disjoint, DisjointSets(x, y, depth));
      if (!disjoint) return false;
    }
  }
  return true;
}

Result<bool> SchemaGoals::DisjointSets(const SchemaSet& a, const SchemaSet& b, int depth) {
  const unsigned types = TypesOf(a) & TypesOf(b);
  if (types == 0) return true;
  for (const auto& [mine, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    Json::Array constant;
    const Json::Array* values = ValuesOf(*mine, constant);
    if (values == nullptr) continue;
    bool shared = false;
    for (const Json& value : *values) {
      bool in_all = true;
      for (const SchemaSet* set : {mine, other}) {
        for (const Json* schema : *set) {
          if (!in_all) break;
          GLINT_ASSIGN(in_all, checker_.Satisfies(value, *schema));
        }
      }
      shared = shared || in_all;
    }
    if (!shared) return true;
  }
  return types == kTypeObject && depth < kMaxDiscriminatorDepth ? DisjointObjects(a, b, depth)
                                                                : Result<bool>(false);
}

// By a member that both require, or that one requires and the other forbids.
Result<bool> SchemaGoals::DisjointObjects(const SchemaSet& a, const SchemaSet& b, int depth) {
  for (const SchemaSet* set : {&a, &b}) {
    const SchemaSet& other = set == &a ? b : a;
    for (const Json* schema : *set) {
      const Json* required = schema->Find("required");
      if (required == nullptr) continue;
      for (const Json& name : *required->array()) {
        const SchemaSet theirs = MemberGoal(other, *name.string());
        if (HoldsFalse(theirs)) return true;
        if (!IsRequired(other, *name.string())) continue;
        GLINT_ASSIGN(const bool disjoint,
                     Disjoint(MemberGoal(*set, *name.string()), theirs, depth + 1));
        if (disjoint) return true;
      }
    }
  }
  return false;
}

const Json* SchemaGoals::Target(const Json& reference) const {
  return FollowReference(root_, *reference.string());
}

unsigned TypesOf(const SchemaSet& set) {
  unsigned types = kAllTypes;
  for (const Json* schema : set) {
    const Json* type = schema->Find("type");
    if (type == nullptr) continue;
    unsigned named = 0;
    if (type->string() != nullptr) {
      named = TypesNamed(*type->string());
    } else {
      for (const Json& name : *type->array()) named |= TypesNamed(*name.string());
    }
    types &= named;
  }
  return types;
}

const Json::Array* ValuesOf(const SchemaSet& set, Json::Array& constant) {
  const Json::Array* shortest = nullptr;
  for (const Json* schema : set) {
    if (const Json* value = schema->Find("const")) {
      constant = {*value};
      return &constant;
    }
    const Json* values = schema->Find("enum");
    if (values == nullptr) continue;
    if (shortest == nullptr || values->array()->size() < shortest->size()) {
      shortest = values->array();
    }
  }
  return shortest;
}

SchemaSet MemberGoal(const SchemaSet& set, std::string_view name) {
  std::vector<const Json*> goal;
  for (const Json* schema : set) {
    const Json* properties = schema->Find("properties");
    const Json* declared = properties == nullptr ? nullptr : properties->Find(name);
    if (declared == nullptr) declared = schema->Find("additionalProperties");
    if (declared != nullptr) goal.push_back(declared);
  }
  return MakeSchemaSet(goal);
}

bool HoldsFalse(const SchemaSet& set) {
  return std::any_of(set.begin(), set.end(), [](const Json* schema) {
    return schema->boolean() != nullptr && !*schema->boolean();
  });
}

std::int64_t SizeOf(const SchemaSet& set, const char* keyword, bool largest,
                    std::int64_t otherwise) {
  std::optional<std::int64_t> result;
  for (const Json* schema : set) {
    const Json* value = schema->Find(keyword);
    if (value == nullptr) continue;
    const auto size = static_cast<std::int64_t>(value->AsDouble().value_or(0));
    if (!result || (largest ? size > *result : size < *result)) result = size;
  }
  return result.value_or(otherwise);
}

bool IsRequired(const SchemaSet& set, std::string_view name) {
  for (const Json* schema : set) {
    const Json* required = schema->Find("required");
    if (required == nullptr) continue;
    for (const Json& one : *required->array()) {
      if (*one.string() == name) return true;
    }
  }
  return false;
}

}  // namespace glint::text
