// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_grammar.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/format.h"
#include "text/internal/compiled_grammar.h"
#include "text/internal/decimal.h"
#include "text/internal/key_exclusion.h"

namespace glint::text {
namespace {

// Items that have a place of their own in an array, those that it must have included.
constexpr std::int64_t kMaxPlacedItems = 1'000;
// Declared members of an object: behind a quote each is a reading of its own (kMaxPlaces).
constexpr std::size_t kMaxMembers = 900;

bool HasAny(const SchemaSet& set, std::initializer_list<const char*> keywords) {
  return std::any_of(set.begin(), set.end(), [keywords](const Json* schema) {
    return std::any_of(keywords.begin(), keywords.end(),
                       [schema](const char* name) { return schema->Find(name) != nullptr; });
  });
}

struct Size {
  std::int64_t values = 0;
  std::int64_t bytes = 0;
};

// The parser limits the depth.
void Measure(const Json& json, Size& size) {
  ++size.values;
  if (json.string() != nullptr) size.bytes += static_cast<std::int64_t>(json.string()->size());
  if (json.number() != nullptr) size.bytes += static_cast<std::int64_t>(json.number()->text.size());
  if (json.array() != nullptr) {
    for (const Json& item : *json.array()) Measure(item, size);
  }
  if (json.object() == nullptr) return;
  for (const auto& [name, value] : *json.object()) {
    size.bytes += static_cast<std::int64_t>(name.size());
    Measure(value, size);
  }
}

}  // namespace

Status CheckSchemaSize(const Json& schema, const GrammarLimits& limits) {
  Size size;
  Measure(schema, size);
  if (size.values > limits.schema_values) {
    return InvalidArgument(
        format("the schema has {} values, more than {}", size.values, limits.schema_values));
  }
  if (size.bytes > static_cast<std::int64_t>(limits.input_bytes)) {
    return InvalidArgument(
        format("the schema has {} bytes of text, more than {}", size.bytes, limits.input_bytes));
  }
  return Ok();
}

SchemaGrammar::SchemaGrammar(const Json& root, const Automaton& prelude,
                             const GrammarLimits& limits, GrammarBuilder& builder,
                             WorkBudget& budget)
    : prelude_(prelude),
      limits_(limits),
      builder_(builder),
      budget_(budget),
      goals_(root, RuleLimitsOf(limits), budget),
      text_(RuleLimitsOf(limits), builder, budget) {}

Result<ExprId> SchemaGrammar::Value(const SchemaSet& goal) {
  if (const auto at = rules_.find(goal); at != rules_.end()) return builder_.Call(at->second);
  if (builder_.size() > limits_.expressions) {
    return InvalidArgument(format("the schema has more than {} parts", limits_.expressions));
  }
  GLINT_ASSIGN(auto sets, goals_.Alternatives(goal));
  const bool nested = std::any_of(sets.begin(), sets.end(), [](const SchemaSet& set) {
    return (TypesOf(set) & (kTypeArray | kTypeObject)) != 0;
  });
  if (nested && !goal.empty()) {
    // The rule comes first, so that a value may hold another like it.
    const RuleId rule = builder_.NewRule();
    rules_.emplace(goal, rule);
    pending_.emplace_back(rule, std::move(sets));
    return builder_.Call(rule);
  }
  std::vector<ExprId> choices;
  for (const SchemaSet& set : sets) {
    GLINT_ASSIGN(const ExprId choice, Alternative(set));
    choices.push_back(choice);
  }
  return builder_.Choice(std::move(choices));
}

Status SchemaGrammar::Finish() {
  while (!pending_.empty()) {
    const auto [rule, sets] = std::move(pending_.back());
    pending_.pop_back();
    std::vector<ExprId> choices;
    for (const SchemaSet& set : sets) {
      GLINT_ASSIGN(const ExprId choice, Alternative(set));
      choices.push_back(choice);
    }
    builder_.Define(rule, builder_.Choice(std::move(choices)));
  }
  return Ok();
}

Result<ExprId> SchemaGrammar::Alternative(const SchemaSet& set) {
  if (!HasAny(set,
              {"type", "enum", "const", "properties", "required", "additionalProperties", "items",
               "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format",
               "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})) {
    return builder_.Call(kRuleValue);
  }
  Json::Array constant;
  if (const Json::Array* values = ValuesOf(set, constant)) return Values(set, *values);
  const unsigned types = TypesOf(set);
  std::vector<ExprId> choices;
  if ((types & kTypeNull) != 0) choices.push_back(builder_.Bytes("null"));
  if ((types & kTypeBoolean) != 0) {
    choices.push_back(builder_.Bytes("true"));
    choices.push_back(builder_.Bytes("false"));
  }
  if ((types & (kTypeInteger | kTypeFraction)) != 0) {
    GLINT_ASSIGN(const ExprId number, text_.Number(set, (types & kTypeFraction) == 0));
    choices.push_back(number);
  }
  if ((types & kTypeString) != 0) {
    GLINT_ASSIGN(const ExprId string, text_.JsonString(set));
    choices.push_back(string);
  }
  if ((types & kTypeArray) != 0) {
    GLINT_ASSIGN(const ExprId array, Array(set));
    choices.push_back(array);
  }
  if ((types & kTypeObject) != 0) {
    GLINT_ASSIGN(const ExprId object, Object(set));
    choices.push_back(object);
  }
  return builder_.Choice(std::move(choices));
}

// Of a list of values, those that satisfy all else that is asked.
Result<ExprId> SchemaGrammar::Values(const SchemaSet& set, const Json::Array& values) {
  std::vector<ExprId> choices;
  for (const Json& value : values) {
    bool holds = true;
    for (const Json* schema : set) {
      if (!holds) break;
      GLINT_ASSIGN(holds, goals_.checker().SatisfiesOneOf(value, values, *schema));
    }
    if (holds) choices.push_back(Literal(value));
  }
  return builder_.Choice(std::move(choices));
}

ExprId SchemaGrammar::Literal(const Json& value) {
  if (value.string() != nullptr) return builder_.Bytes(SpellJson(*value.string()));
  std::vector<ExprId> parts;
  if (value.array() != nullptr) {
    parts.reserve(value.array()->size());
    for (const Json& item : *value.array()) parts.push_back(Literal(item));
    const std::vector<bool> optional(parts.size(), false);
    const ExprId items = builder_.Members(std::move(parts), optional, CommaExpr(builder_), -1);
    return builder_.Sequence({builder_.Bytes("["), OptionalSpace(builder_), items,
                              OptionalSpace(builder_), builder_.Bytes("]")});
  }
  if (value.object() != nullptr) {
    for (const auto& [name, member] : *value.object()) {
      parts.push_back(builder_.Sequence(
          {builder_.Bytes(SpellJson(name)), ColonExpr(builder_), Literal(member)}));
    }
    const std::vector<bool> optional(parts.size(), false);
    return ObjectExpr(builder_,
                      builder_.Members(std::move(parts), optional, CommaExpr(builder_), -1));
  }
  const std::string text = value.Write();
  if (value.number() == nullptr) return builder_.Bytes(text);
  // As the schema has it, or without exponent and superfluous zeros.
  const auto number = ParseDecimal(text);
  if (!number || number->whole.size() + number->fraction.size() > kMaxDigits) {
    return builder_.Bytes(text);
  }
  return builder_.Choice({builder_.Bytes(text), builder_.Bytes(PlainText(*number))});
}

Result<SchemaGrammar::Members> SchemaGrammar::MembersOf(const SchemaSet& set) {
  Members members;
  std::unordered_set<std::string_view> seen;
  const auto declare = [&](const std::string& name) -> Status {
    if (!seen.insert(name).second) return Ok();
    if (!budget_.Spend(20 + static_cast<std::int64_t>(seen.size()))) {
      return InvalidArgument("the schema takes too much work to compile");
    }
    members.declared.push_back({name, MemberGoal(set, name), IsRequired(set, name)});
    return Ok();
  };
  std::vector<const Json*> further;
  for (const Json* schema : set) {
    if (const Json* properties = schema->Find("properties")) {
      for (const auto& [name, value] : *properties->object()) GLINT_TRY(declare(name));
    }
    if (const Json* other = schema->Find("additionalProperties")) further.push_back(other);
  }
  for (const Json* schema : set) {
    const Json* required = schema->Find("required");
    if (required == nullptr) continue;
    for (const Json& name : *required->array()) GLINT_TRY(declare(*name.string()));
  }
  if (members.declared.size() > kMaxMembers) {
    return InvalidArgument(format("an object has more than {} properties", kMaxMembers));
  }
  members.further = MakeSchemaSet(further);
  members.open = !HoldsFalse(members.further);
  for (const Member& member : members.declared) {
    if (member.required && HoldsFalse(member.goal)) members.possible = false;
  }
  return members;
}

Result<ExprId> SchemaGrammar::Object(const SchemaSet& set) {
  if (!HasAny(set, {"properties", "required", "additionalProperties"})) {
    return builder_.Call(kRuleObject);
  }
  GLINT_ASSIGN(const Members members, MembersOf(set));
  if (!members.possible) return builder_.Nothing();
  std::vector<ExprId> parts;
  std::vector<bool> optional;
  std::vector<std::string> names;
  for (const Member& member : members.declared) {
    names.push_back(member.name);
    if (HoldsFalse(member.goal)) continue;
    GLINT_ASSIGN(const ExprId value, Value(member.goal));
    parts.push_back(
        builder_.Sequence({builder_.Bytes(SpellJson(member.name)), ColonExpr(builder_), value}));
    optional.push_back(!member.required);
  }
  ExprId further = -1;
  if (members.open) {
    const RuleId key = names.empty() ? RuleId{kRuleKey} : RuleOf(KeysExcept(names, prelude_));
    GLINT_ASSIGN(const ExprId value, Value(members.further));
    further = builder_.Sequence({builder_.Call(key), ColonExpr(builder_), value});
  }
  return ObjectExpr(builder_, builder_.Members(std::move(parts), std::move(optional),
                                               CommaExpr(builder_), further));
}

SchemaSet SchemaGrammar::ItemGoal(const SchemaSet& set, std::int64_t index) {
  std::vector<const Json*> goal;
  for (const Json* schema : set) {
    const Json* prefix = schema->Find("prefixItems");
    const Json* rest = schema->Find("items");
    if (prefix != nullptr && index < static_cast<std::int64_t>(prefix->array()->size())) {
      goal.push_back(&(*prefix->array())[static_cast<std::size_t>(index)]);
    } else if (rest != nullptr) {
      goal.push_back(rest);
    }
  }
  return MakeSchemaSet(goal);
}

Result<SchemaGrammar::ArrayFacts> SchemaGrammar::FactsOfArray(const SchemaSet& set) {
  ArrayFacts facts;
  facts.at_least = SizeOf(set, "minItems", true, 0);
  facts.at_most = SizeOf(set, "maxItems", false, kNoLimit);
  for (const Json* schema : set) {
    const Json* prefix = schema->Find("prefixItems");
    if (prefix == nullptr) continue;
    facts.placed = std::max(facts.placed, static_cast<std::int64_t>(prefix->array()->size()));
  }
  // The first item too if there must be one, so that an array which cannot have it is a dead end
  // from its start.
  if (facts.at_least > 0) facts.placed = std::max<std::int64_t>(facts.placed, 1);
  if (facts.placed > kMaxPlacedItems) {
    return InvalidArgument(format("prefixItems has more than {} schemas", kMaxPlacedItems));
  }
  for (std::int64_t i = 0; i <= facts.placed; ++i) {
    if (HoldsFalse(ItemGoal(set, i))) facts.at_most = std::min(facts.at_most, i);
  }
  facts.placed = std::min(facts.placed, facts.at_most);
  return facts;
}

// The items behind those that have a place, each with its comma. In an array without places the
// first has none.
Result<ExprId> SchemaGrammar::RestOfArray(const SchemaSet& set, const ArrayFacts& facts) {
  if (facts.at_most <= facts.placed) return builder_.Empty();
  GLINT_ASSIGN(const ExprId value, Value(ItemGoal(set, facts.placed)));
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule, value);
  const bool counted = facts.counted();
  const auto item = [&] { return builder_.Call(rule, {}, counted ? Edge::kCount : 0); };
  const ExprId comma = CommaExpr(builder_, counted ? Edge::kAsksRoom : 0);
  const ExprId more = builder_.Repeat(builder_.Sequence({comma, item()}), 0);
  return facts.placed > 0 ? more : builder_.Optional(builder_.Sequence({item(), more}));
}

Result<ExprId> SchemaGrammar::Array(const SchemaSet& set) {
  GLINT_ASSIGN(const ArrayFacts facts, FactsOfArray(set));
  if (facts.at_least > facts.at_most) return builder_.Nothing();
  // From the back: what may follow the items with a place.
  GLINT_ASSIGN(ExprId items, RestOfArray(set, facts));
  for (std::int64_t i = facts.placed; i-- > 0;) {
    GLINT_ASSIGN(const ExprId item, Value(ItemGoal(set, i)));
    items = i > 0 ? builder_.Sequence({CommaExpr(builder_), item, items})
                  : builder_.Sequence({item, items});
    if (i >= facts.at_least) items = builder_.Optional(items);
  }
  // The space before the bracket asks too, or it would be a dead end.
  const std::uint8_t enough = facts.at_least > facts.placed ? Edge::kAsksEnough : 0;
  const ExprId array = builder_.Sequence({builder_.Bytes("["), OptionalSpace(builder_), items,
                                          builder_.Optional(builder_.Call(kRuleSpace, {}, enough)),
                                          builder_.Bytes("]", enough)});
  if (!facts.counted()) return array;
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule, array);
  const std::int64_t room = facts.at_most == kNoLimit ? -1 : facts.at_most - facts.placed;
  GLINT_ASSIGN(const Counters counters,
               CountersOf(std::max<std::int64_t>(facts.at_least - facts.placed, 0), room));
  return builder_.Call(rule, counters);
}

Result<ExprId> SchemaGrammar::RawString(const SchemaSet& goal, std::int32_t end) {
  GLINT_ASSIGN(const auto sets, goals_.Alternatives(goal));
  std::vector<ExprId> choices;
  for (const SchemaSet& set : sets) {
    if ((TypesOf(set) & kTypeString) == 0) continue;
    GLINT_ASSIGN(const ExprId choice, RawAlternative(set, end));
    choices.push_back(choice);
  }
  return builder_.Choice(std::move(choices));
}

Result<ExprId> SchemaGrammar::RawAlternative(const SchemaSet& set, std::int32_t end) {
  Json::Array constant;
  if (const Json::Array* values = ValuesOf(set, constant)) {
    std::vector<ExprId> choices;
    for (const Json& value : *values) {
      bool holds = value.string() != nullptr;
      for (const Json* schema : set) {
        if (!holds) break;
        GLINT_ASSIGN(holds, goals_.checker().SatisfiesOneOf(value, *values, *schema));
      }
      if (holds) choices.push_back(builder_.Bytes(*value.string()));
    }
    return builder_.Sequence({builder_.Choice(std::move(choices)), builder_.Token(end)});
  }
  return text_.RawString(set, end);
}

RuleId SchemaGrammar::RuleOf(Fragment fragment) {
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule, builder_.Embed(std::move(fragment)));
  return rule;
}

}  // namespace glint::text
