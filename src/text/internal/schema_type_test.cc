// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_type.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace glint::text {
namespace {

constexpr auto kString = ArgumentType::kString;
constexpr auto kStringOrNull = ArgumentType::kStringOrNull;
constexpr auto kJson = ArgumentType::kJson;

TEST(SchemaType, ReadsThePropertysSchema) {
  const std::vector<std::pair<std::string, ArgumentType>> cases = {
      {R"({"type": "string"})", kString},
      {R"({"type": "integer"})", kJson},
      {R"({"type": "object"})", kJson},
      {R"({"type": ["string", "null"]})", kStringOrNull},
      {R"({"type": ["string", "integer"]})", kString},
      {R"({"type": ["integer", "null"]})", kJson},
      {R"({"type": "string", "nullable": true})", kStringOrNull},
      {R"({"anyOf": [{"type": "string"}, {"type": "null"}]})", kStringOrNull},
      {R"({"oneOf": [{"type": "integer"}, {"type": "string"}]})", kString},
      {R"({"anyOf": [{"type": "integer"}, {"type": "array"}]})", kJson},
      {R"({"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]})", kJson},
      {R"({"allOf": [{"description": "d"}, {"$ref": "#/$defs/name"}]})", kString},
      {R"({"enum": ["a", "b"]})", kString},
      {R"({"enum": ["a", null]})", kStringOrNull},
      {R"({"enum": [1, 2]})", kJson},
      {R"({"const": "a"})", kString},
      {R"({"$ref": "#/$defs/name"})", kString},
      {R"({"$ref": "#/$defs/maybe"})", kStringOrNull},
      {R"({"$ref": "#/$defs/a~1b"})", kString},
      {R"({"$ref": "#/$defs/list/0"})", kString},
      {R"({"$ref": "#/$defs/round"})", kJson},
      {R"({"$ref": "#/$defs/missing"})", kJson},
      {R"({"$ref": "https://example.org/name"})", kJson},
      {R"({"description": "anything"})", kJson},
      {R"({})", kJson},
      {R"(true)", kJson},
      {R"({"type": 7, "enum": 8, "anyOf": 9, "allOf": {}, "$ref": []})", kJson}};
  for (const auto& [schema, type] : cases) {
    const Json parameters =
        ParseJson(R"({"type": "object", "properties": {"key": )" + schema +
                      R"(}, "$defs": {"name": {"type": "string"}, "a/b": {"type": "string"},
                          "maybe": {"anyOf": [{"$ref": "#/$defs/name"}, {"type": "null"}]},
                          "list": [{"type": "string"}], "round": {"$ref": "#/$defs/round"}}})",
                  "test")
            .value();
    EXPECT_EQ(TypeOfArgument(&parameters, "key"), type) << schema;
  }
}

TEST(SchemaType, FindsThePropertyWhereverTheSchemaHasIt) {
  const std::string name = R"({"properties": {"key": {"type": "string"}}})";
  for (const std::string& text : {name, R"({"$ref": "#/$defs/t", "$defs": {"t": )" + name + "}}",
                                  R"({"allOf": [{}, )" + name + "]}",
                                  std::string(R"({"additionalProperties": {"type": "string"}})")}) {
    const Json parameters = ParseJson(text, "test").value();
    EXPECT_EQ(TypeOfArgument(&parameters, "key"), kString) << text;
  }
  const Json parameters = ParseJson(name, "test").value();
  EXPECT_EQ(TypeOfArgument(&parameters, "other"), kJson);
  EXPECT_EQ(TypeOfArgument(nullptr, "key"), kJson);
}

TEST(SchemaType, ASchemaThatBranchesWithoutEndIsGivenUp) {
  const Json parameters =
      ParseJson(R"({"properties": {"key": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"anyOf": [
                    {"$ref": "#/$defs/t"}, {"$ref": "#/$defs/t"}, {"$ref": "#/$defs/t"}]}}})",
                "test")
          .value();
  EXPECT_EQ(TypeOfArgument(&parameters, "key"), kJson);
  std::string parts = "{}";
  for (int i = 0; i < 100; ++i) parts += R"(,{"$ref": "#"})";
  const Json root = ParseJson(R"({"allOf": [)" + parts + "]}", "test").value();
  EXPECT_EQ(TypeOfArgument(&root, "key"), kJson);
}

}  // namespace
}  // namespace glint::text
