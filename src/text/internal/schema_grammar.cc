// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_grammar.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "base/format.h"
#include "text/internal/compiled_grammar.h"
#include "text/internal/decimal.h"
#include "text/internal/key_exclusion.h"
#include "text/internal/regex_parser.h"
#include "text/internal/string_format.h"

namespace glint::text {
namespace {

// Items that have a place of their own in an array, those that it must have included.
constexpr std::int64_t kMaxPlacedItems = 1'000;
// Declared members of an object: behind a quote each is a reading of its own (kMaxPlaces).
constexpr std::size_t kMaxMembers = 900;
constexpr std::int64_t kMaxCount = 1'000'000'000;

// The largest (or smallest) of a size keyword in all schemas; `otherwise` when none has it.
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

Counters CountersOf(std::int64_t need, std::int64_t room) {
  Counters counters;
  counters.need = static_cast<std::int32_t>(std::min(need, kMaxCount));
  if (room >= 0 && room < kMaxCount) counters.room = static_cast<std::int32_t>(room);
  return counters;
}

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
    : root_(root),
      prelude_(prelude),
      limits_(limits),
      builder_(builder),
      budget_(budget),
      goals_(root, RuleLimitsOf(limits), budget) {}

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
    GLINT_ASSIGN(const ExprId number, Number(set, (types & kTypeFraction) == 0));
    choices.push_back(number);
  }
  if ((types & kTypeString) != 0) {
    GLINT_ASSIGN(const ExprId string, String(set));
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
  return builder_.Bytes(value.Write());
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

Result<ExprId> SchemaGrammar::Array(const SchemaSet& set) {
  const std::int64_t least = SizeOf(set, "minItems", true, 0);
  std::int64_t most = SizeOf(set, "maxItems", false, std::numeric_limits<std::int64_t>::max());
  std::size_t prefix = 0;
  for (const Json* schema : set) {
    const Json* items = schema->Find("prefixItems");
    if (items != nullptr) prefix = std::max(prefix, items->array()->size());
  }
  const auto goal_of = [&set](std::size_t index) {
    std::vector<const Json*> goal;
    for (const Json* schema : set) {
      const Json* items = schema->Find("prefixItems");
      const Json* rest = schema->Find("items");
      if (items != nullptr && index < items->array()->size()) {
        goal.push_back(&(*items->array())[index]);
      } else if (rest != nullptr) {
        goal.push_back(rest);
      }
    }
    return MakeSchemaSet(goal);
  };
  // Items with a place of their own: the prefix, and the first if there must be one, so that an
  // array which cannot have it is a dead end from its start.
  auto placed = static_cast<std::int64_t>(prefix);
  if (least > 0) placed = std::max<std::int64_t>(placed, 1);
  if (placed > kMaxPlacedItems) {
    return InvalidArgument(format("prefixItems has more than {} schemas", kMaxPlacedItems));
  }
  for (std::int64_t i = 0; i <= placed; ++i) {
    if (HoldsFalse(goal_of(static_cast<std::size_t>(i)))) most = std::min(most, i);
  }
  if (least > most) return builder_.Nothing();
  placed = std::min(placed, most);

  // From the back: what may follow the items with a place.
  const SchemaSet rest_goal = goal_of(static_cast<std::size_t>(placed));
  const bool counted = most != std::numeric_limits<std::int64_t>::max() || least > placed;
  const std::uint8_t room = counted ? Edge::kAsksRoom : 0;
  ExprId rest = builder_.Empty();
  if (most > placed) {
    GLINT_ASSIGN(const ExprId item, Value(rest_goal));
    const RuleId rule = builder_.NewRule();
    builder_.Define(rule, item);
    const auto counted_item = [&] { return builder_.Call(rule, {}, counted ? Edge::kCount : 0); };
    rest = builder_.Repeat(builder_.Sequence({CommaExpr(builder_, room), counted_item()}), 0);
    if (placed == 0) {
      rest = builder_.Optional(builder_.Sequence({counted_item(), rest}));
    }
  }
  for (std::int64_t i = placed; i-- > 0;) {
    GLINT_ASSIGN(const ExprId item, Value(goal_of(static_cast<std::size_t>(i))));
    rest = i > 0 ? builder_.Sequence({CommaExpr(builder_), item, rest})
                 : builder_.Sequence({item, rest});
    if (i >= least) rest = builder_.Optional(rest);
  }
  // The space before the bracket asks too, or it would be a dead end.
  const std::uint8_t enough = least > placed ? Edge::kAsksEnough : 0;
  const ExprId array = builder_.Sequence({builder_.Bytes("["), OptionalSpace(builder_), rest,
                                          builder_.Optional(builder_.Call(kRuleSpace, {}, enough)),
                                          builder_.Bytes("]", enough)});
  if (!counted) return array;
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule, array);
  const std::int64_t left = most == std::numeric_limits<std::int64_t>::max() ? -1 : most - placed;
  return builder_.Call(rule, CountersOf(std::max<std::int64_t>(least - placed, 0), left));
}

Result<ExprId> SchemaGrammar::Number(const SchemaSet& set, bool whole_only) {
  struct Keyword {
    const char* name;
    BoundSide side;
    bool strict;
  };
  constexpr Keyword kKeywords[] = {{"minimum", BoundSide::kAtLeast, false},
                                   {"maximum", BoundSide::kAtMost, false},
                                   {"exclusiveMinimum", BoundSide::kAtLeast, true},
                                   {"exclusiveMaximum", BoundSide::kAtMost, true}};
  std::string name = whole_only ? "integer" : "number";
  std::optional<Fragment> numbers;
  for (const Json* schema : set) {
    for (const Keyword& keyword : kKeywords) {
      const Json* value = schema->Find(keyword.name);
      if (value == nullptr) continue;
      const auto bound = ParseDecimal(value->number()->text);
      if (!bound || bound->fraction.size() > kMaxDigits) {
        return InvalidArgument(
            format("{} {} has too many digits", keyword.name, Quoted(value->number()->text)));
      }
      if (bound->whole.size() > kMaxDigits) {
        // Beyond all numbers that we write: no bound, or nothing is left.
        if (bound->negative == (keyword.side == BoundSide::kAtLeast)) continue;
        return builder_.Nothing();
      }
      name += format(" {} {}", keyword.name, value->number()->text);
      GrammarBuilder bounds;
      const ExprId expr = BoundedNumber(bounds, *bound, keyword.side, keyword.strict, whole_only);
      GLINT_ASSIGN(Fragment fragment, Compile(bounds, expr));
      GLINT_ASSIGN(numbers, Both(numbers, std::move(fragment)));
    }
  }
  if (!numbers) return builder_.Call(whole_only ? kRuleInteger : kRuleNumber);
  const auto [at, added] = text_rules_.try_emplace(name, 0);
  if (added) {
    GrammarBuilder all;
    const ExprId expr = whole_only ? IntegerExpr(all) : PlainNumberExpr(all);
    GLINT_ASSIGN(Fragment fragment, Compile(all, expr));
    GLINT_ASSIGN(numbers, Both(numbers, std::move(fragment)));
    at->second = RuleOf(*std::move(numbers));
  }
  return builder_.Call(at->second);
}

SchemaGrammar::StringFacts SchemaGrammar::FactsOf(const SchemaSet& set) {
  StringFacts facts;
  facts.at_least = SizeOf(set, "minLength", true, 0);
  facts.at_most = SizeOf(set, "maxLength", false, -1);
  for (const Json* schema : set) {
    if (const Json* pattern = schema->Find("pattern")) {
      facts.patterns.emplace_back(*pattern->string(), false);
    }
    const Json* name = schema->Find("format");
    const auto pattern = name == nullptr ? std::nullopt : PatternOfFormat(*name->string());
    if (pattern) facts.patterns.emplace_back(std::string(*pattern), true);
  }
  std::sort(facts.patterns.begin(), facts.patterns.end());
  return facts;
}

Result<ExprId> SchemaGrammar::String(const SchemaSet& set) {
  const StringFacts facts = FactsOf(set);
  if (facts.at_most >= 0 && facts.at_most < facts.at_least) return builder_.Nothing();
  if (!facts.patterns.empty()) {
    return Patterned(facts, Spelling::kJson, -1);
  }
  if (facts.at_least == 0 && facts.at_most < 0) return builder_.Call(kRuleString);
  return builder_.Call(kRuleCountedString, CountersOf(facts.at_least, facts.at_most));
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
  const StringFacts facts = FactsOf(set);
  if (facts.at_most >= 0 && facts.at_most < facts.at_least) return builder_.Nothing();
  if (!facts.patterns.empty()) {
    return Patterned(facts, Spelling::kRaw, end);
  }
  if (facts.at_least == 0 && facts.at_most < 0) return builder_.Call(kRuleRawText);
  return builder_.Call(kRuleCountedRawText, CountersOf(facts.at_least, facts.at_most));
}

// All patterns at once, of a length in the bounds. The rule holds what the text ends with, a quote
// or the token `end`: a token's border within it then needs no look at the stack.
Result<ExprId> SchemaGrammar::Patterned(const StringFacts& facts, Spelling spelling,
                                        std::int32_t end) {
  std::string name = format("{} {} {}", spelling == Spelling::kRaw ? "raw" : "json", facts.at_least,
                            facts.at_most);
  for (const auto& [pattern, whole] : facts.patterns) {
    name += format(" {} {} {}", pattern.size(), pattern, whole);
  }
  if (const auto at = text_rules_.find(name); at != text_rules_.end()) {
    return builder_.Call(at->second);
  }
  std::optional<Fragment> text;
  for (const auto& [pattern, whole] : facts.patterns) {
    GrammarBuilder builder;
    const auto body =
        ParseRegex(pattern, whole ? RegexMatch::kWhole : RegexMatch::kSearch, spelling, builder);
    if (!body.ok()) {
      return InvalidArgument(format("pattern {}: {}", Quoted(pattern), body.error().message));
    }
    GLINT_ASSIGN(Fragment fragment, Compile(builder, body.value()));
    GLINT_ASSIGN(text, Both(text, std::move(fragment)));
  }
  if (facts.at_least > 0 || facts.at_most >= 0) {
    if (std::max(facts.at_least, facts.at_most) > limits_.rule_states) {
      return InvalidArgument("minLength or maxLength is too large beside a pattern or format");
    }
    GrammarBuilder builder;
    const ExprId length = builder.Repeat(builder.Class(CodePointSet::All(), spelling),
                                         static_cast<std::int32_t>(facts.at_least),
                                         static_cast<std::int32_t>(facts.at_most));
    GLINT_ASSIGN(Fragment fragment, Compile(builder, length));
    GLINT_ASSIGN(text, Both(text, std::move(fragment)));
  }
  const ExprId content = builder_.Embed(*std::move(text));
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule,
                  spelling == Spelling::kRaw
                      ? builder_.Sequence({content, builder_.Token(end)})
                      : builder_.Sequence({builder_.Bytes("\""), content, builder_.Bytes("\"")}));
  text_rules_.emplace(name, rule);
  return builder_.Call(rule);
}

Result<Fragment> SchemaGrammar::Compile(const GrammarBuilder& builder, ExprId body) {
  return CompileRule(builder, body, RuleForm::kDeterministic, RuleLimitsOf(limits_), budget_);
}

Result<Fragment> SchemaGrammar::Both(const std::optional<Fragment>& a, Fragment b) {
  if (!a) return b;
  return Combine(*a, b, Combination::kBoth, RuleLimitsOf(limits_), budget_);
}

RuleId SchemaGrammar::RuleOf(Fragment fragment) {
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule, builder_.Embed(std::move(fragment)));
  return rule;
}

}  // namespace glint::text
