// SPDX-License-Identifier: Apache-2.0
// CompileJsonSchema of text/grammar_compiler.h, case by case.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/internal/schema_check.h"
#include "text/test_grammar.h"
#include "text/test_schema_cases.h"

namespace glint::text {
namespace {

std::vector<SchemaCase> AllCases() {
  std::vector<SchemaCase> cases = ScalarCases();
  for (const auto& more : {ContainerCases(), CombinedCases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

TEST(CompileJsonSchema, TakesWhatIsValidAndNothingElse) {
  const auto cases = AllCases();
  EXPECT_GE(cases.size(), 150U);
  for (const SchemaCase& test : cases) {
    const Json schema = ParseJson(test.schema, "test").value();
    for (const GrammarWorld* world : {&BytesWorld(), &MergesWorld()}) {
      const auto grammar = CompileJsonSchema(world->table, schema);
      ASSERT_TRUE(grammar.ok()) << test.schema << ": " << grammar.error().message;
      for (const std::string_view text : test.valid) {
        EXPECT_TRUE(AcceptsText(*world, grammar.value(), text)) << test.schema << " on " << text;
      }
      for (const std::string_view text : test.invalid) {
        EXPECT_FALSE(AcceptsText(*world, grammar.value(), text)) << test.schema << " on " << text;
      }
    }
  }
}

// The checker, by which other tests judge, agrees with the cases: a valid text satisfies its
// schema.
TEST(SchemaChecker, AgreesWithTheCases) {
  for (const SchemaCase& test : AllCases()) {
    const Json schema = ParseJson(test.schema, "test").value();
    WorkBudget budget(1'000'000);
    SchemaChecker checker(schema, {}, budget);
    for (const std::string_view text : test.valid) {
      const Json value = ParseJson(text, "test").value();
      EXPECT_TRUE(checker.Satisfies(value, schema).value()) << test.schema << " on " << text;
    }
  }
}

TEST(CompileJsonSchema, RefusesWhatItDoesNotSupportByName) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"not": {}})", "keyword not"},
      {R"({"if": {}})", "keyword if"},
      {R"({"patternProperties": {}})", "keyword patternProperties"},
      {R"({"propertyNames": {}})", "keyword propertyNames"},
      {R"({"minProperties": 1})", "keyword minProperties"},
      {R"({"maxProperties": 1})", "keyword maxProperties"},
      {R"({"dependentRequired": {}})", "keyword dependentRequired"},
      {R"({"contains": {}})", "keyword contains"},
      {R"({"uniqueItems": true})", "keyword uniqueItems"},
      {R"({"unevaluatedProperties": false})", "keyword unevaluatedProperties"},
      {R"({"multipleOf": 2})", "keyword multipleOf"},
      {R"({"$dynamicRef": "#a"})", "keyword $dynamicRef"},
      {R"({"nullable": true})", "keyword nullable"},
      {R"({"properties": {"a": {"items": {"anyOf": [{"not": {}}]}}}})", "keyword not"},
      {R"({"type": "strin"})", "type"},
      {R"({"type": 1})", "type"},
      {R"({"type": "string", "format": "iri"})", "format \"iri\""},
      {R"({"items": [{}]})", "keyword items cannot be"},
      {R"({"minLength": -1})", "keyword minLength"},
      {R"({"minItems": 1.5})", "keyword minItems"},
      {R"({"required": "a"})", "keyword required"},
      {R"({"properties": []})", "keyword properties"},
      {R"({"properties": {"a": 1}})", "keyword properties"},
      {R"({"anyOf": []})", "keyword anyOf"},
      {R"({"minimum": "1"})", "keyword minimum"},
      {R"({"minimum": 1, "minimum": 2})", "there twice"},
      {R"({"$ref": "#/nowhere"})", "leads nowhere"},
      {R"({"$ref": "https://example.org/x"})", "leads nowhere"},
      {R"({"items": {"$id": "x", "$ref": "#"}})", "$id"},
      {R"({"$ref": "#"})", "leads back to itself"},
      {R"({"anyOf": [{"$ref": "#"}, {"type": "null"}]})", "leads back to itself"},
      {R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]},
           "b": {"$ref": "#/$defs/a"}}})",
       "leads back to itself"},
      {R"({"oneOf": [{"type": "integer"}, {"type": "number"}]})", "oneOf"},
      {R"({"oneOf": [{"minLength": 1}, {"maxLength": 3}]})", "oneOf"},
      {R"({"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"]}]})", "oneOf"},
      {R"-({"pattern": "(?=a)"})-", "look-around"},
      {R"({"pattern": "("})", "pattern"},
      {R"(false)", "no finite text"},
      {R"({"enum": []})", "no finite text"},
      {R"({"type": "string", "minLength": 3, "maxLength": 2})", "no finite text"},
      {R"({"type": "integer", "minimum": 3, "maximum": 2})", "no finite text"},
      {R"({"type": "array", "items": false, "minItems": 1})", "no finite text"},
      {R"({"type": "string", "allOf": [{"pattern": "^a$"}, {"pattern": "^b$"}]})",
       "no finite text"},
      {R"({"type": "object", "required": ["a"], "additionalProperties": false})", "no finite text"},
      {R"({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})",
       "no finite text"},
      {R"({"type": "array", "items": {"$ref": "#"}, "minItems": 1})", "no finite text"},
      {R"(1)", "a schema is"},
      {R"([])", "a schema is"},
      {R"({"minimum": 0.000000000000000000000000000000000001})", "too many digits"},
  };
  for (const auto& [text, reason] : cases) {
    const auto grammar = CompileJsonSchema(BytesWorld().table, ParseJson(text, "test").value());
    ASSERT_FALSE(grammar.ok()) << text;
    EXPECT_EQ(grammar.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(grammar.error().message.find(reason), std::string::npos)
        << text << ": " << grammar.error().message;
  }
}

}  // namespace
}  // namespace glint::text
