// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/format.h"
#include "text/internal/code_points.h"
#include "text/internal/decimal.h"
#include "text/internal/json_pointer.h"
#include "text/internal/regex_parser.h"
#include "text/internal/string_format.h"

namespace glint::text {
namespace {

constexpr int kMaxDepth = 200;

bool SameNumber(const std::string& a, const std::string& b) {
  const auto x = ParseDecimal(a);
  const auto y = ParseDecimal(b);
  return x && y ? *x == *y : a == b;
}

bool SameObject(const Json& a, const Json& b) {
  if (a.object()->size() != b.object()->size()) return false;
  return std::all_of(a.object()->begin(), a.object()->end(), [&b](const Json::Member& member) {
    const Json* other = b.Find(member.first);
    return other != nullptr && SameJson(member.second, *other);
  });
}

std::int64_t Length(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80; });
}

// Whether a size keyword holds; an absent one does.
bool SizeHolds(const Json& schema, const char* least, const char* most, std::int64_t size) {
  const auto bound = [&schema](const char* key) -> std::optional<double> {
    const Json* value = schema.Find(key);
    return value == nullptr ? std::nullopt : value->AsDouble();
  };
  const auto low = bound(least);
  const auto high = bound(most);
  return (!low || static_cast<double>(size) >= *low) &&
         (!high || static_cast<double>(size) <= *high);
}

bool NumberHolds(const Json& value, const Json& schema) {
  const auto number = ParseDecimal(value.number()->text);
  if (!number) return false;
  struct Keyword {
    const char* name;
    bool less;
    bool equal;
  };
  for (const Keyword keyword :
       {Keyword{"minimum", false, true}, Keyword{"maximum", true, true},
        Keyword{"exclusiveMinimum", false, false}, Keyword{"exclusiveMaximum", true, false}}) {
    const Json* bound = schema.Find(keyword.name);
    if (bound == nullptr || bound->number() == nullptr) continue;
    const auto limit = ParseDecimal(bound->number()->text);
    if (!limit) return false;
    const auto order = Compare(*number, *limit);
    const bool holds = order == 0 ? keyword.equal : (order < 0) == keyword.less;
    if (!holds) return false;
  }
  return true;
}

bool TypeHolds(const Json& value, const Json* type) {
  if (type == nullptr) return true;
  const unsigned mine = TypeOf(value);
  if (type->string() != nullptr) return (TypesNamed(*type->string()) & mine) != 0;
  return type->array() != nullptr &&
         std::any_of(type->array()->begin(), type->array()->end(), [mine](const Json& name) {
           return name.string() != nullptr && (TypesNamed(*name.string()) & mine) != 0;
         });
}

}  // namespace

bool SameJson(const Json& a, const Json& b) {
  if (a.number() != nullptr && b.number() != nullptr) {
    return SameNumber(a.number()->text, b.number()->text);
  }
  if (a.string() != nullptr && b.string() != nullptr) return *a.string() == *b.string();
  if (a.boolean() != nullptr && b.boolean() != nullptr) return *a.boolean() == *b.boolean();
  if (a.array() != nullptr && b.array() != nullptr) {
    return std::equal(a.array()->begin(), a.array()->end(), b.array()->begin(), b.array()->end(),
                      SameJson);
  }
  if (a.object() != nullptr && b.object() != nullptr) return SameObject(a, b);
  return a.is_null() && b.is_null();
}

unsigned TypeOf(const Json& value) {
  if (value.is_null()) return kTypeNull;
  if (value.boolean() != nullptr) return kTypeBoolean;
  if (value.string() != nullptr) return kTypeString;
  if (value.array() != nullptr) return kTypeArray;
  if (value.object() != nullptr) return kTypeObject;
  const auto number = ParseDecimal(value.number()->text);
  return number && !number->fraction.empty() ? kTypeFraction : kTypeInteger;
}

unsigned TypesNamed(std::string_view name) {
  if (name == "null") return kTypeNull;
  if (name == "boolean") return kTypeBoolean;
  if (name == "integer") return kTypeInteger;
  if (name == "number") return kTypeInteger | kTypeFraction;
  if (name == "string") return kTypeString;
  if (name == "array") return kTypeArray;
  if (name == "object") return kTypeObject;
  return 0;
}

Result<bool> SchemaChecker::Satisfies(const Json& value, const Json& schema) {
  return Check(value, schema, 0);
}

Result<bool> SchemaChecker::Check(const Json& value, const Json& schema, int depth) {
  if (depth > kMaxDepth) return InvalidArgument("the schema is too deep");
  if (!budget_.Spend(20)) return InvalidArgument("the schema takes too much work to compile");
  if (schema.boolean() != nullptr) return *schema.boolean();
  if (!TypeHolds(value, schema.Find("type"))) return false;
  GLINT_ASSIGN(const bool is_value, CheckValue(value, schema));
  if (!is_value) return false;
  GLINT_ASSIGN(const bool choices, CheckChoices(value, schema, depth));
  if (!choices) return false;
  if (value.number() != nullptr) return NumberHolds(value, schema);
  if (value.string() != nullptr) return CheckString(*value.string(), schema);
  if (value.array() != nullptr) return CheckArray(*value.array(), schema, depth);
  return value.object() == nullptr ? Result<bool>(true) : CheckObject(value, schema, depth);
}

Result<bool> SchemaChecker::SatisfiesOneOf(const Json& value, const Json::Array& values,
                                           const Json& schema) {
  known_value_ = &value;
  known_values_ = &values;
  auto result = Check(value, schema, 0);
  known_value_ = nullptr;
  return result;
}

Result<bool> SchemaChecker::CheckValue(const Json& value, const Json& schema) {
  const Json* constant = schema.Find("const");
  if (constant != nullptr && !SameJson(value, *constant)) return false;
  const Json* values = schema.Find("enum");
  if (values == nullptr || values->array() == nullptr) return true;
  if (&value == known_value_ && values->array() == known_values_) return true;
  if (!budget_.Spend(static_cast<std::int64_t>(values->array()->size()))) {
    return InvalidArgument("the schema takes too much work to compile");
  }
  return std::any_of(values->array()->begin(), values->array()->end(),
                     [&value](const Json& one) { return SameJson(value, one); });
}

Result<bool> SchemaChecker::CheckChoices(const Json& value, const Json& schema, int depth) {
  if (const Json* reference = schema.Find("$ref"); reference && reference->string()) {
    const Json* target = FollowReference(root_, *reference->string());
    if (target == nullptr) {
      return InvalidArgument(format("$ref {} leads nowhere", Quoted(*reference->string())));
    }
    GLINT_ASSIGN(const bool holds, Check(value, *target, depth + 1));
    if (!holds) return false;
  }
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    const Json* schemas = schema.Find(keyword);
    if (schemas == nullptr || schemas->array() == nullptr) continue;
    std::size_t holding = 0;
    for (const Json& one : *schemas->array()) {
      GLINT_ASSIGN(const bool holds, Check(value, one, depth + 1));
      holding += holds ? 1 : 0;
    }
    const bool good = keyword == "allOf"   ? holding == schemas->array()->size()
                      : keyword == "anyOf" ? holding > 0
                                           : holding == 1;
    if (!good) return false;
  }
  return true;
}

Result<bool> SchemaChecker::CheckString(const std::string& value, const Json& schema) {
  if (!SizeHolds(schema, "minLength", "maxLength", Length(value))) return false;
  if (const Json* pattern = schema.Find("pattern"); pattern && pattern->string()) {
    GLINT_ASSIGN(const bool matches, MatchesPattern(value, *pattern->string(), false));
    if (!matches) return false;
  }
  const Json* name = schema.Find("format");
  if (name == nullptr || name->string() == nullptr) return true;
  const auto pattern = PatternOfFormat(*name->string());
  return pattern ? MatchesPattern(value, *pattern, true) : Result<bool>(true);
}

Result<bool> SchemaChecker::CheckArray(const Json::Array& value, const Json& schema, int depth) {
  if (!SizeHolds(schema, "minItems", "maxItems", static_cast<std::int64_t>(value.size()))) {
    return false;
  }
  const Json* prefix = schema.Find("prefixItems");
  const Json* items = schema.Find("items");
  const std::size_t prefix_size = prefix && prefix->array() ? prefix->array()->size() : 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Json* one = i < prefix_size ? &(*prefix->array())[i] : items;
    if (one == nullptr) continue;
    GLINT_ASSIGN(const bool holds, Check(value[i], *one, depth + 1));
    if (!holds) return false;
  }
  return true;
}

Result<bool> SchemaChecker::CheckObject(const Json& value, const Json& schema, int depth) {
  if (const Json* required = schema.Find("required"); required && required->array()) {
    for (const Json& name : *required->array()) {
      if (name.string() != nullptr && value.Find(*name.string()) == nullptr) return false;
    }
  }
  const Json* properties = schema.Find("properties");
  const Json* additional = schema.Find("additionalProperties");
  for (const auto& [name, member] : *value.object()) {
    const Json* declared = properties == nullptr ? nullptr : properties->Find(name);
    const Json* one = declared != nullptr ? declared : additional;
    if (one == nullptr) continue;
    GLINT_ASSIGN(const bool holds, Check(member, *one, depth + 1));
    if (!holds) return false;
  }
  return true;
}

Result<bool> SchemaChecker::MatchesPattern(std::string_view text, std::string_view pattern,
                                           bool whole) {
  const std::pair key(std::string(pattern), whole);
  auto at = patterns_.find(key);
  if (at == patterns_.end()) {
    GrammarBuilder builder;
    GLINT_ASSIGN(const ExprId body,
                 ParseRegex(pattern, whole ? RegexMatch::kWhole : RegexMatch::kSearch,
                            Spelling::kRaw, builder));
    GLINT_ASSIGN(Fragment fragment,
                 CompileRule(builder, body, RuleForm::kDeterministic, limits_, budget_));
    at = patterns_.emplace(key, std::move(fragment)).first;
  }
  return Matches(at->second, text);
}

}  // namespace glint::text
