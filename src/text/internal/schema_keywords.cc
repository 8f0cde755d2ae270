// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_keywords.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "text/internal/schema_check.h"
#include "text/internal/string_format.h"

namespace glint::text {
namespace {

enum class Shape : std::uint8_t {
  kSchema,
  kSchemas,    // an array of them
  kSchemaMap,  // an object of them
  kText,
  kTexts,
  kValues,  // any array
  kSize,    // an integer >= 0
  kNumber,
  kAnything,
  kRefused,
  kRefusedTrue,  // refused unless false
  kRefusedAboveZero,
};

// Sources: JSON Schema Core and Validation, draft 2020-12, and what of earlier drafts would narrow
// values. Other keywords are annotations.
const std::unordered_map<std::string_view, Shape>& Shapes() {
  static const std::unordered_map<std::string_view, Shape> shapes = {
      {"type", Shape::kAnything},
      {"properties", Shape::kSchemaMap},
      {"required", Shape::kTexts},
      {"additionalProperties", Shape::kSchema},
      {"items", Shape::kSchema},
      {"prefixItems", Shape::kSchemas},
      {"minItems", Shape::kSize},
      {"maxItems", Shape::kSize},
      {"enum", Shape::kValues},
      {"const", Shape::kAnything},
      {"anyOf", Shape::kSchemas},
      {"oneOf", Shape::kSchemas},
      {"allOf", Shape::kSchemas},
      {"$ref", Shape::kText},
      {"minLength", Shape::kSize},
      {"maxLength", Shape::kSize},
      {"pattern", Shape::kText},
      {"format", Shape::kText},
      {"minimum", Shape::kNumber},
      {"maximum", Shape::kNumber},
      {"exclusiveMinimum", Shape::kNumber},
      {"exclusiveMaximum", Shape::kNumber},
      {"not", Shape::kRefused},
      {"if", Shape::kRefused},
      {"then", Shape::kRefused},
      {"else", Shape::kRefused},
      {"patternProperties", Shape::kRefused},
      {"propertyNames", Shape::kRefused},
      {"minProperties", Shape::kRefusedAboveZero},
      {"maxProperties", Shape::kRefused},
      {"dependentRequired", Shape::kRefused},
      {"dependentSchemas", Shape::kRefused},
      {"dependencies", Shape::kRefused},
      {"contains", Shape::kRefused},
      {"minContains", Shape::kRefused},
      {"maxContains", Shape::kRefused},
      {"uniqueItems", Shape::kRefusedTrue},
      {"unevaluatedProperties", Shape::kRefused},
      {"unevaluatedItems", Shape::kRefused},
      {"additionalItems", Shape::kRefused},
      {"multipleOf", Shape::kRefused},
      {"$dynamicRef", Shape::kRefused},
      {"$recursiveRef", Shape::kRefused},
      {"nullable", Shape::kRefusedTrue},
      {"contentSchema", Shape::kRefused},
  };
  return shapes;
}

bool IsSchema(const Json& value) { return value.object() != nullptr || value.boolean() != nullptr; }

template <typename Holds>
bool AllItems(const Json& value, Holds holds) {
  if (value.array() == nullptr) return false;
  for (const Json& item : *value.array()) {
    if (!holds(item)) return false;
  }
  return true;
}

bool IsText(const Json& value) { return value.string() != nullptr; }

// A count as a JSON number may also be written "2.0".
bool IsSize(const Json& value) {
  const auto number = value.AsDouble();
  return number && *number >= 0 && *number < 1e15 && TypeOf(value) == kTypeInteger;
}

bool HasShape(const Json& value, Shape shape) {
  switch (shape) {
    case Shape::kSchema:
      return IsSchema(value);
    case Shape::kSchemas:
      return AllItems(value, IsSchema) && !value.array()->empty();
    case Shape::kSchemaMap:
      if (value.object() == nullptr) return false;
      for (const auto& [name, schema] : *value.object()) {
        if (!IsSchema(schema)) return false;
      }
      return true;
    case Shape::kText:
      return IsText(value);
    case Shape::kTexts:
      return AllItems(value, IsText);
    case Shape::kValues:
      return value.array() != nullptr;
    case Shape::kSize:
      return IsSize(value);
    case Shape::kNumber:
      return value.number() != nullptr;
    default:
      return true;
  }
}

bool IsRefused(const Json& value, Shape shape) {
  if (shape == Shape::kRefusedTrue) return value.boolean() == nullptr || *value.boolean();
  if (shape == Shape::kRefusedAboveZero) return value.AsDouble() != std::optional(0.0);
  return shape == Shape::kRefused;
}

Status CheckType(const Json& type) {
  const auto known = [](const Json& name) {
    return name.string() != nullptr && TypesNamed(*name.string()) != 0;
  };
  if (type.string() != nullptr ? known(type) : AllItems(type, known)) return Ok();
  return InvalidArgument(format("type {} is not known", Quoted(type.Write())));
}

}  // namespace

Status CheckKeywords(const Json& schema) {
  if (schema.boolean() != nullptr) return Ok();
  if (schema.object() == nullptr) {
    return InvalidArgument(format("a schema is an object or a boolean, not {}", schema.TypeName()));
  }
  std::unordered_set<std::string_view> seen;
  for (const auto& [name, value] : *schema.object()) {
    const auto at = Shapes().find(name);
    if (at == Shapes().end()) continue;
    if (!seen.insert(name).second) {
      return InvalidArgument(format("keyword {} is there twice", name));
    }
    if (IsRefused(value, at->second)) {
      return InvalidArgument(format("keyword {} is not supported", name));
    }
    if (!HasShape(value, at->second)) {
      return InvalidArgument(format("keyword {} cannot be {}", name, Quoted(value.Write())));
    }
  }
  if (const Json* type = schema.Find("type")) GLINT_TRY(CheckType(*type));
  const Json* name = schema.Find("format");
  if (name != nullptr && !PatternOfFormat(*name->string())) {
    return InvalidArgument(format("format {} is not supported", Quoted(*name->string())));
  }
  return Ok();
}

}  // namespace glint::text
