// SPDX-License-Identifier: Apache-2.0
// Grammars that are written to hang or to exhaust a server: each is refused, or compiled and run,
// within bounds.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/test_grammar.h"

namespace glint::text {
namespace {

// The issue asks for one second; the rest is for sanitizers and busy machines.
constexpr std::chrono::seconds kBound{20};

std::string Repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// Compiles, and if that goes well makes masks for a while. Without `refused` both will do.
template <typename Compile>
void ExpectBounded(std::string_view name, Compile compile, std::optional<bool> refused) {
  const auto begin = std::chrono::steady_clock::now();
  const GrammarResult grammar = compile();
  EXPECT_NE(grammar.ok(), refused.value_or(!grammar.ok()))
      << name << (grammar.ok() ? "" : grammar.error().message);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took, kBound) << name;
  if (!grammar.ok()) return;
  const auto matcher = MergesWorld().Match(grammar.value());
  std::vector<std::uint32_t> mask(MergesWorld().words());
  for (int step = 0; step < 50; ++step) {
    matcher->FillMasks({}, mask);
    for (std::int32_t token = 255; token >= 0; --token) {
      const bool allowed = (mask[static_cast<std::size_t>(token / 32)] >> (token % 32) & 1) != 0;
      if (allowed && matcher->Accept(token)) break;
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kBound) << name;
}

void ExpectRegex(const std::string& pattern, std::optional<bool> refused) {
  ExpectBounded(
      Quoted(pattern), [&] { return CompileRegex(MergesWorld().table, pattern); }, refused);
}

void ExpectEbnf(const std::string& grammar, std::optional<bool> refused) {
  ExpectBounded(
      Quoted(grammar), [&] { return CompileEbnf(MergesWorld().table, grammar); }, refused);
}

void ExpectSchema(const std::string& schema, std::optional<bool> refused) {
  const Json json = ParseJson(schema, "test").value();
  ExpectBounded(
      Quoted(schema), [&] { return CompileJsonSchema(MergesWorld().table, json); }, refused);
}

TEST(HostileGrammar, Regex) {
  ExpectRegex("(a|b)*a(a|b){20}", true);
  ExpectRegex("(.*a){25}.*", false);
  ExpectRegex("((a{1000}){1000}){1000}", true);
  ExpectRegex("((((){1000}){1000}){1000}){1000}", true);
  ExpectRegex("(a?){1000}a{1000}", false);
  ExpectRegex("(((((a*)*)*)*)*)*", false);
  ExpectRegex("(x+x+)+y", false);
  ExpectRegex(".{1000}.{1000}.{1000}.{1000}.{1000}.{1000}.{1000}", true);
  ExpectRegex(Repeated("(", 100'000), true);
  ExpectRegex(Repeated("(a|", 90) + "b" + Repeated(")", 90), false);
  ExpectRegex(Repeated("a", 10'000'000), true);
  ExpectRegex(Repeated("[a-z]", 39'000), false);
  ExpectRegex(Repeated("a|", 90'000), true);
}

TEST(HostileGrammar, Ebnf) {
  ExpectEbnf("root ::= " + Repeated("(", 100'000), true);
  ExpectEbnf("root ::= \"" + Repeated("a", 10'000'000) + '"', true);
  std::string doubling = "root ::= r0\n";
  for (int i = 0; i < 40; ++i) doubling += format("r{} ::= r{} r{}\n", i, i + 1, i + 1);
  ExpectEbnf(doubling + "r40 ::= \"\" | \"x\"", true);
  ExpectEbnf(doubling + "r40 ::= \"x\"", false);
  ExpectEbnf("root ::= x{1000}\nx ::= [^a]?", true);
  ExpectEbnf("root ::= x{300}\nx ::= [^a]?", false);
  ExpectEbnf("root ::= \"a\" root | \"a\" s root | \"\"\ns ::= \"\" | \"a\"", false);
  ExpectEbnf("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\"", false);
  ExpectEbnf("root ::= [^x] root y | [^x] root z | \"\"\ny ::= \"\" | [^x]\nz ::= \"\" | [^y]",
             false);
  ExpectEbnf("root ::= \"a\"" + Repeated("*", 20'000), true);
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 5'000; ++i) chain += format("r{} ::= r{}\n", i, i + 1);
  ExpectEbnf(chain + "r5000 ::= \"x\"", true);
}

TEST(HostileGrammar, SchemaThatBranches) {
  const std::string any = R"({"anyOf": [{"minLength": 1}, {"maxLength": 2}]})";
  std::string all;
  for (int i = 0; i < 40; ++i) all += (i == 0 ? "" : ",") + any;
  ExpectSchema("{\"allOf\": [" + all + "]}", true);
  // Each definition refers to the next twice.
  std::string defs;
  for (int i = 0; i < 100; ++i) {
    defs +=
        format(R"("d{0}": {{"anyOf": [{{"$ref": "#/$defs/d{1}"}}, {{"$ref": "#/$defs/d{1}"}}]}},)",
               i, i + 1);
  }
  ExpectSchema(
      "{\"$ref\": \"#/$defs/d0\", \"$defs\": {" + defs + "\"d100\": {\"type\": \"null\"}}}", true);
  std::string chain;
  for (int i = 0; i < 5'000; ++i) {
    chain += format(R"("d{}": {{"$ref": "#/$defs/d{}"}},)", i, i + 1);
  }
  ExpectSchema("{\"$ref\": \"#/$defs/d0\", \"$defs\": {" + chain + "\"d5000\": true}}", true);
}

TEST(HostileGrammar, SchemaThatIsLargeOrDeep) {
  ExpectSchema(Repeated(R"({"type": "array", "items": )", 100) + "true" + Repeated("}", 100),
               false);
  ExpectSchema(Repeated(R"({"anyOf": [)", 60) + "true" + Repeated("]}", 60), false);
  ExpectSchema("{\"const\": \"" + Repeated("a", 10'000'000) + "\"}", true);
  std::string properties;
  std::string values;
  for (int i = 0; i < 20'000; ++i) {
    const char* comma = i == 0 ? "" : ",";
    if (i < 5'000) properties += format(R"({}"p{}": {{"type": "string"}})", comma, i);
    values += format("{}\"v{}\"", comma, i);
  }
  ExpectSchema("{\"properties\": {" + properties + "}}", true);
  ExpectSchema("{\"enum\": [" + values + "]}", true);
  ExpectSchema("{\"enum\": [" + values + "], \"allOf\": [{\"enum\": [" + values + "]}]}", true);
  ExpectSchema(R"({"type": "array", "minItems": 1000000000, "items": {"type": "null"}})", false);
  ExpectSchema(R"({"type": "string", "minLength": 99999999999})", true);
  ExpectSchema(R"({"type": "string", "pattern": "a", "minLength": 99999999999})", true);
  ExpectSchema(R"({"type": "string", "pattern": "(a|b)*a(a|b){30}"})", true);
  ExpectSchema(R"({"type": "string", "allOf": [{"pattern": "(a|b)*a(a|b){9}"},
      {"pattern": "(a|c)*c(a|c){9}"}, {"pattern": "(a|d)*d(a|d){9}"}]})",
               std::nullopt);
}

TEST(HostileGrammar, SchemaOfManyOptionalMembersStillRuns) {
  std::string properties;
  for (int i = 0; i < 400; ++i) {
    properties += format(R"({}"property_{}": {{"type": "string"}})", i == 0 ? "" : ",", i);
  }
  ExpectSchema("{\"type\": \"object\", \"properties\": {" + properties + "}}", false);
  ExpectSchema("{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {" +
                   properties + "}}",
               false);
}

}  // namespace
}  // namespace glint::text
