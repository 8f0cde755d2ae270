// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_type.h"

#include <string>

#include "text/internal/json_pointer.h"

namespace glint::text {
namespace {

constexpr int kMaxDepth = 16;

// Sets of types. A schema that says nothing allows all of them.
using Types = unsigned;
constexpr Types kStringType = 1;
constexpr Types kNullType = 2;
constexpr Types kOtherType = 4;
constexpr Types kAnyType = kStringType | kNullType | kOtherType;

Types TypeNamed(const Json& name) {
  if (name.string() == nullptr) return kAnyType;
  if (*name.string() == "string") return kStringType;
  return *name.string() == "null" ? kNullType : kOtherType;
}

Types TypeOfValue(const Json& value) {
  if (value.string() != nullptr) return kStringType;
  return value.is_null() ? kNullType : kOtherType;
}

class Resolver {
 public:
  explicit Resolver(const Json& root) : root_(root) {}

  // The schema of a property, looked for in what $ref and allOf bring in too. Null: there is none.
  [[nodiscard]] const Json* FindProperty(const Json& schema, std::string_view key, int depth) {
    if (depth > kMaxDepth || --budget_ < 0) return nullptr;
    const Json* properties = schema.Find("properties");
    const Json* found = properties == nullptr ? nullptr : properties->Find(key);
    if (found != nullptr) return found;
    if (const Json* target = Target(schema)) found = FindProperty(*target, key, depth + 1);
    const Json* all = schema.Find("allOf");
    if (found == nullptr && all != nullptr && all->array() != nullptr) {
      for (const Json& part : *all->array()) {
        if (found != nullptr || budget_ < 0) break;
        found = FindProperty(part, key, depth + 1);
      }
    }
    return found;
  }

  [[nodiscard]] Types Allowed(const Json& schema, int depth) {
    if (depth > kMaxDepth || --budget_ < 0) return kAnyType;
    Types allowed = kAnyType;
    if (const Json* target = Target(schema)) allowed &= Allowed(*target, depth + 1);
    if (const Json* type = schema.Find("type")) allowed &= OfTypeKeyword(*type);
    if (const Json* value = schema.Find("const")) allowed &= TypeOfValue(*value);
    allowed &= OfEnumKeyword(schema.Find("enum"));
    for (const char* key : {"anyOf", "oneOf"}) allowed &= OfAny(schema.Find(key), depth + 1);
    allowed &= OfAll(schema.Find("allOf"), depth + 1);
    const Json* nullable = schema.Find("nullable");
    if (nullable != nullptr && nullable->boolean() != nullptr && *nullable->boolean()) {
      allowed |= kNullType;
    }
    return allowed;
  }

 private:
  static Types OfTypeKeyword(const Json& type) {
    if (type.array() == nullptr) return TypeNamed(type);
    Types any = 0;
    for (const Json& name : *type.array()) any |= TypeNamed(name);
    return any;
  }

  static Types OfEnumKeyword(const Json* values) {
    if (values == nullptr || values->array() == nullptr) return kAnyType;
    Types any = 0;
    for (const Json& value : *values->array()) any |= TypeOfValue(value);
    return any;
  }

  [[nodiscard]] Types OfAny(const Json* schemas, int depth) {
    if (schemas == nullptr || schemas->array() == nullptr) return kAnyType;
    Types any = 0;
    for (const Json& schema : *schemas->array()) {
      if (any == kAnyType) break;
      any |= Allowed(schema, depth);
    }
    return any;
  }

  [[nodiscard]] Types OfAll(const Json* schemas, int depth) {
    if (schemas == nullptr || schemas->array() == nullptr) return kAnyType;
    Types all = kAnyType;
    for (const Json& schema : *schemas->array()) {
      if (budget_ < 0) break;
      all &= Allowed(schema, depth);
    }
    return all;
  }

  // What the schema's $ref points at within the root, or null.
  [[nodiscard]] const Json* Target(const Json& schema) const {
    const Json* reference = schema.Find("$ref");
    if (reference == nullptr || reference->string() == nullptr) return nullptr;
    return FollowReference(root_, *reference->string());
  }

  const Json& root_;
  int budget_ = 1'000;  // schemas to look at: a hostile one refers to itself many times over
};

}  // namespace

ArgumentType TypeOfArgument(const Json* parameters, std::string_view key) {
  if (parameters == nullptr) return ArgumentType::kJson;
  Resolver resolver(*parameters);
  const Json* schema = resolver.FindProperty(*parameters, key, 0);
  if (schema == nullptr) schema = parameters->Find("additionalProperties");
  const Types allowed = schema == nullptr ? kAnyType : resolver.Allowed(*schema, 0);
  if (allowed == kAnyType || (allowed & kStringType) == 0) return ArgumentType::kJson;
  return (allowed & kNullType) == 0 ? ArgumentType::kString : ArgumentType::kStringOrNull;
}

}  // namespace glint::text
