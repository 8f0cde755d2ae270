// SPDX-License-Identifier: Apache-2.0
// How long compiling and masks take at the size of GLM's vocabulary. The numbers are printed; what
// is asserted is twenty times what the issue asks, so that a busy machine does not fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/test_grammar.h"

namespace glint::text {
namespace {

constexpr std::size_t kEntries = 154'820;
constexpr std::int64_t kVocabulary = 154'880;

// Tokens joined at random: words with and without a space before them, CJK, punctuation, indents.
TestTokenizerOptions BigOptions() {
  std::mt19937 random(1);
  TestTokenizerOptions options;
  std::set<std::string> known;
  std::vector<std::string> words;
  std::vector<std::string> spaced = {" "};
  std::vector<std::string> cjk;
  std::vector<std::string> marks;
  for (char c = 'a'; c <= 'z'; ++c) words.emplace_back(1, c);
  for (char c = 'A'; c <= 'Z'; ++c) words.emplace_back(1, c);
  for (const char c : std::string_view("\"{}[]():;,.<>/=_-+*&|!?#\n ")) marks.emplace_back(1, c);
  const auto add = [&](const std::string& left, const std::string& right,
                       std::vector<std::string>& list) {
    if (left.size() + right.size() > 48 || !known.insert(left + right).second) return;
    options.merges.emplace_back(left, right);
    list.push_back(left + right);
  };
  const auto one_of = [&random](const std::vector<std::string>& list) {
    return list[random() % list.size()];
  };
  for (int i = 0; i < 64; ++i) {
    const std::string lead = {'\xE4', static_cast<char>(0xB8 + i % 8)};
    add("\xE4", lead.substr(1), marks);
    add(lead, std::string(1, static_cast<char>(0x80 + i)), cjk);
  }
  while (options.merges.size() < kEntries - 256) {
    const auto kind = random() % 20;
    if (kind < 9) {
      add(one_of(words), one_of(words), words);
    } else if (kind < 16) {
      add(one_of(spaced), one_of(words), spaced);
    } else if (kind < 18) {
      add(one_of(cjk), one_of(cjk), cjk);
    } else {
      add(one_of(marks), one_of(marks), marks);
    }
  }
  return options;
}

constexpr std::string_view kSchemas[] = {
    R"({"type": "object"})",
    R"({"type": "string"})",
    R"({"enum": ["positive", "negative", "neutral"]})",
    R"({"type": "array", "items": {"type": "string"}})",
    R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer",
        "minimum": 0, "maximum": 150}}, "required": ["name", "age"],
        "additionalProperties": false})",
    R"({"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}})",
    R"({"type": "object", "properties": {"title": {"type": "string", "minLength": 1,
        "maxLength": 120}, "tags": {"type": "array", "items": {"type": "string", "maxLength": 20},
        "maxItems": 5}}, "required": ["title", "tags"], "additionalProperties": false})",
    R"({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}, "at":
        {"type": "string", "format": "date-time"}}, "required": ["id", "at"],
        "additionalProperties": false})",
    R"({"type": "object", "properties": {"mail": {"type": "string", "format": "email"}},
        "required": ["mail"], "additionalProperties": false})",
    R"({"type": "object", "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}[0-9]{4}$"},
        "price": {"type": "number", "minimum": 0}}, "required": ["code", "price"],
        "additionalProperties": false})",
    R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"name":
        {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["name", "kids"], "additionalProperties": false}}})",
    R"({"anyOf": [{"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type":
        "number"}}, "required": ["kind", "x"], "additionalProperties": false}, {"type": "object",
        "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind", "y"],
        "additionalProperties": false}]})",
    R"({"type": "object", "properties": {"steps": {"type": "array", "items": {"type": "object",
        "properties": {"explanation": {"type": "string"}, "output": {"type": "string"}},
        "required": ["explanation", "output"], "additionalProperties": false}}, "answer":
        {"type": ["string", "null"]}}, "required": ["steps", "answer"],
        "additionalProperties": false})",
};

double CpuMicroseconds() {
  return static_cast<double>(std::clock()) * 1e6 / static_cast<double>(CLOCKS_PER_SEC);
}

double Quantile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// An allowed token, or -1. Strings would never end if each token were as likely.
std::int32_t Pick(const std::vector<std::uint32_t>& mask, std::mt19937& random) {
  const auto allows = [&mask](std::int32_t token) {
    return (mask[static_cast<std::size_t>(token / 32)] >> (token % 32) & 1) != 0;
  };
  if (allows('"') && random() % 8 == 0) return '"';
  const auto first = static_cast<std::int32_t>(random() % kVocabulary);
  for (std::int32_t i = 0; i < kVocabulary; ++i) {
    const auto token = static_cast<std::int32_t>((first + i) % kVocabulary);
    if (allows(token)) return token;
  }
  return -1;
}

// Times the masks of a random text of at most 300 tokens.
void Walk(GrammarMatcher& matcher, std::mt19937& random, std::vector<double>& times_us) {
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(kVocabulary + 31) / 32);
  for (int step = 0; step < 300; ++step) {
    const double begin = CpuMicroseconds();
    matcher.FillMasks({}, mask);
    times_us.push_back(CpuMicroseconds() - begin);
    const std::int32_t token = Pick(mask, random);
    if (token < 0 || !matcher.Accept(token)) return;
  }
}

TEST(GrammarSpeed, CompilingAndMasksAtGlmsVocabulary) {
  const auto tokenizer = MakeTestTokenizer(BigOptions());
  const double begin = CpuMicroseconds();
  const auto table = TokenTable::Create(*tokenizer, kVocabulary).value();
  const double table_ms = (CpuMicroseconds() - begin) / 1e3;
  std::vector<double> compile_ms;
  std::vector<double> mask_us;
  std::mt19937 random(2);
  for (const std::string_view schema : kSchemas) {
    const Json json = ParseJson(schema, "test").value();
    const double start = CpuMicroseconds();
    const auto grammar = CompileJsonSchema(table, json).value();
    compile_ms.push_back((CpuMicroseconds() - start) / 1e3);
    for (int run = 0; run < 3; ++run) {
      const auto matcher = MakeMatcher(grammar, {*tokenizer->AddedTokenId("<|user|>")});
      Walk(*matcher, random, mask_us);
    }
  }
  const double compile_median = Quantile(compile_ms, 0.5);
  const double mask_p99 = Quantile(mask_us, 0.99);
  std::printf(
      "table %.0f ms; %zu schemas: compile median %.2f ms, most %.2f ms; "
      "%zu masks: median %.1f us, p99 %.1f us, most %.1f us (CPU time)\n",
      table_ms, compile_ms.size(), compile_median, compile_ms.back(), mask_us.size(),
      Quantile(mask_us, 0.5), mask_p99, mask_us.back());
  EXPECT_LT(compile_median, 20 * 50.0);
  EXPECT_LT(mask_p99, 20 * 100.0);
}

}  // namespace
}  // namespace glint::text
