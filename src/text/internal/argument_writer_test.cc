// SPDX-License-Identifier: Apache-2.0
#include "text/internal/argument_writer.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/json.h"

namespace glint::text {
namespace {

// The value of a text that comes in pieces of so many bytes.
std::string Written(ArgumentType type, std::string_view text, bool strip, std::size_t piece) {
  ArgumentWriter writer(type, strip);
  std::string json;
  for (std::size_t at = 0; at < text.size(); at += piece)
    json += writer.Push(text.substr(at, piece));
  return json + writer.Finish();
}

struct Case {
  std::string text;
  std::string string;          // as kString
  std::string string_or_null;  // as kStringOrNull
  std::string json;            // as kJson
};

TEST(ArgumentWriter, TypesTheTextHoweverItIsCut) {
  const std::vector<Case> cases = {
      {"Bern", R"("Bern")", R"("Bern")", R"("Bern")"},
      {"", R"("")", R"("")", R"("")"},
      {"null", R"("null")", "null", "null"},
      {" null\n", R"(" null\n")", "null", "null"},
      {"nul", R"("nul")", R"("nul")", R"("nul")"},
      {"nullable", R"("nullable")", R"("nullable")", R"("nullable")"},
      {"null null", R"("null null")", R"("null null")", R"("null null")"},
      {"nu ll", R"("nu ll")", R"("nu ll")", R"("nu ll")"},
      {"  x", R"("  x")", R"("  x")", R"("  x")"},
      {"3", R"("3")", R"("3")", "3"},
      {" 3 ", R"(" 3 ")", R"(" 3 ")", "3"},
      {"001", R"("001")", R"("001")", R"("001")"},
      {"123456789012345678901234567890", R"("123456789012345678901234567890")",
       R"("123456789012345678901234567890")", "123456789012345678901234567890"},
      {"1e15", R"("1e15")", R"("1e15")", "1e15"},
      {"true", R"("true")", R"("true")", "true"},
      {"True", R"("True")", R"("True")", R"("True")"},
      {R"({"a": [1, "é"]})", R"("{\"a\": [1, \"é\"]}")", R"("{\"a\": [1, \"é\"]}")",
       R"({"a": [1, "é"]})"},
      {R"({"a": )", R"("{\"a\": ")", R"("{\"a\": ")", R"("{\"a\": ")"},
      {"a\"\\\n\t\x01", R"("a\"\\\n\t\u0001")", R"("a\"\\\n\t\u0001")", R"("a\"\\\n\t\u0001")"},
      {"NaN", R"("NaN")", R"("NaN")", R"("NaN")"}};
  for (const Case& test : cases) {
    for (std::size_t piece = 1; piece < 8; ++piece) {
      EXPECT_EQ(Written(ArgumentType::kString, test.text, false, piece), test.string);
      EXPECT_EQ(Written(ArgumentType::kStringOrNull, test.text, false, piece), test.string_or_null);
      EXPECT_EQ(Written(ArgumentType::kJson, test.text, false, piece), test.json);
    }
  }
}

TEST(ArgumentWriter, StripsOneNewlineAtEachEnd) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\nx\n", R"("x")"}, {"x", R"("x")"},       {"\n\nx\n\n", R"("\nx\n")"}, {"\n", R"("")"},
      {"\n\n", R"("")"},   {"\n\n\n", R"("\n")"}, {"x\ny\n", R"("x\ny")"},     {"\n x", R"(" x")"}};
  for (const auto& [text, expected] : cases) {
    for (std::size_t piece = 1; piece < 5; ++piece) {
      EXPECT_EQ(Written(ArgumentType::kString, text, true, piece), expected) << Json(text).Write();
    }
  }
  EXPECT_EQ(Written(ArgumentType::kJson, "\n[1]\n", true, 2), "[1]");
}

TEST(ArgumentWriter, AStringStreamsAsItComes) {
  ArgumentWriter writer(ArgumentType::kString, false);
  EXPECT_EQ(writer.Push("ab"), "\"ab");
  EXPECT_EQ(writer.Push("c\n"), "c\\n");
  EXPECT_EQ(writer.Finish(), "\"");
}

}  // namespace
}  // namespace glint::text
