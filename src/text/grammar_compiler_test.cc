// SPDX-License-Identifier: Apache-2.0
#include "text/grammar_compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/test_grammar.h"

namespace glint::text {
namespace {

struct PatternCase {
  std::string_view pattern;
  std::vector<std::string_view> valid;
  std::vector<std::string_view> invalid;
};

void ExpectCase(const PatternCase& test, bool ebnf) {
  for (const GrammarWorld* world : {&BytesWorld(), &MergesWorld()}) {
    const auto grammar =
        ebnf ? CompileEbnf(world->table, test.pattern) : CompileRegex(world->table, test.pattern);
    ASSERT_TRUE(grammar.ok()) << test.pattern << ": " << grammar.error().message;
    for (const std::string_view text : test.valid) {
      EXPECT_TRUE(AcceptsText(*world, grammar.value(), text)) << test.pattern << " on " << text;
    }
    for (const std::string_view text : test.invalid) {
      EXPECT_FALSE(AcceptsText(*world, grammar.value(), text)) << test.pattern << " on " << text;
    }
  }
}

TEST(CompileRegex, MatchesTheWholeText) {
  const std::vector<PatternCase> cases = {
      {"abc", {"abc"}, {"", "ab", "abcd", "xabc"}},
      {"a|bc|", {"a", "bc", ""}, {"b", "abc"}},
      {"^ab$", {"ab"}, {"a"}},
      {"^a|b$", {"a", "b"}, {"ab"}},
      {"a*", {"", "a", "aaaa"}, {"b", "ab"}},
      {"a+?b", {"ab", "aab"}, {"b"}},
      {"(?:ab){2,3}", {"abab", "ababab"}, {"ab", "abababab", "aba"}},
      {"(?<year>\\d{4})-\\d\\d", {"2024-12"}, {"224-12", "2024-1x"}},
      {"a{0}b", {"b"}, {"ab"}},
      {"a{2,}", {"aa", "aaaaa"}, {"a"}},
      {"[a-c]+", {"abc", "cab"}, {"abd", ""}},
      {"[^a-c]", {"d", "\n", "\xC3\xA9", "\xF0\x9F\x98\x80"}, {"a", "", "\xC3"}},
      {"[\\]\\-\\\\]+", {"]-\\"}, {"a"}},
      {"[-a]", {"-", "a"}, {"b"}},
      {".", {"a", "\xE4\xB8\xAD"}, {"\n", "\r", ""}},
      {"\\w+\\s\\S", {"ab_1 x", "a\tx"}, {"a b c", "-  x"}},
      {"\\x41\\u00e9\\u{1F600}\\uD83D\\uDE00",
       {"A\xC3\xA9\xF0\x9F\x98\x80\xF0\x9F\x98\x80"},
       {"A"}},
      {"\xC3\xA9+", {"\xC3\xA9\xC3\xA9"}, {"\xC3"}},
      {"[\xC3\xA0-\xC3\xBF]", {"\xC3\xA9"}, {"\xC3", "e"}},
      {"\\.\\*\\$\\^\\(", {".*$^("}, {""}},
      {"\\n\\t\\0", {std::string_view("\n\t\0", 3)}, {"nt0"}},
      {"(a|ab)(c|bcd)", {"ac", "abc", "abcd", "abbcd"}, {"a", "abb"}},
      {"((a*)*)*b", {"b", "aab"}, {"a"}},
      {"(|a)+", {"", "aaa"}, {"b"}},
  };
  for (const PatternCase& test : cases) {
    ExpectCase(test, false);
  }
}

TEST(CompileRegex, RefusesWhatItDoesNotSupportAndSaysSo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"(?=a)", "look-around"},      {"(?<!a)b", "look-around"}, {"(?i)a", "flags"},
      {"(a)\\1", "back references"}, {"\\bword", "boundaries"},  {"\\p{L}", "properties"},
      {"a(^b)", "anchors"},          {"$a", "at the end"},       {"a)", ") without"},
      {"(a", "( without"},           {"[a", "too early"},        {"[b-a]", "out of order"},
      {"*a", "nothing to repeat"},   {"a**", "nothing to"},      {"a++", "possessive"},
      {"a{2,1}", "below its least"}, {"a{,3}", "a count was"},   {"a{3", "without its }"},
      {"a{1001}", "above 1000"},     {"\\q", "unknown escape"},  {"\\uD800", "no character"},
      {"[]", "no finite text"},      {"\xFF", "invalid UTF-8"},  {"\\", "too early"},
      {"[[:alpha:]]", "[: :]"},      {"\\01", "octal"},
  };
  for (const auto& [pattern, reason] : cases) {
    const auto grammar = CompileRegex(BytesWorld().table, pattern);
    ASSERT_FALSE(grammar.ok()) << pattern;
    EXPECT_EQ(grammar.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(grammar.error().message.find(reason), std::string::npos)
        << pattern << ": " << grammar.error().message;
  }
}

TEST(CompileEbnf, MatchesTheRuleRoot) {
  const std::vector<PatternCase> cases = {
      {"root ::= \"a\" b\nb ::= [0-9]+ # digits\n", {"a1", "a123"}, {"a", "1"}},
      {"root ::= \"x\" root | \"y\"", {"y", "xxy"}, {"x", "xyx"}},
      {"root ::= \"(\" root \")\" | \"\"", {"", "()", "((()))"}, {"(", "(()", ")("}},
      {"root ::= (a |\n  'b')* \"\\n\"\na ::= \"\\x41\"", {"\n", "AbA\n"}, {"A", "a\n"}},
      {"root ::= e\ne ::= t (\"+\" t)*\nt ::= [1-9] | \"(\" e \")\"",
       {"1", "1+2", "(1+2)+3"},
       {"1+", "()", "(1"}},
      {"root ::= \"a\"{2,3} . \"b\"?", {"aaa", "aaaa", "aaxb", "aa\xC3\xA9"}, {"aa\xC3", "a"}},
      {"root ::= [^\"\\\\]* \"\\\"\"", {"ab\"", "\""}, {"a\\\""}},
      {"root ::= a a a\na ::= \"x\" | \"\"", {"", "x", "xxx"}, {"xxxx"}},
      {"root ::= s \"!\"\ns ::= (s2 | \"a\")?\ns2 ::= \"b\" s", {"!", "bba!", "b!"}, {"ab!"}},
      {"root::=\"a\"root\"b\"|\"ab\"", {"ab", "aabb"}, {"aab", "abb"}},
      {"root ::= word (\" \" word){0,2}\nword ::= \"ab\" | \"abc\"",
       {"ab abc", "abc ab ab"},
       {"ab  ab", "ab ab ab ab"}},
  };
  for (const PatternCase& test : cases) ExpectCase(test, true);
}

TEST(CompileEbnf, RefusesWhatIsMalformed) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "no rule root"},
      {"a ::= \"x\"", "no rule root"},
      {"root ::= x", "\"x\" is used but not defined"},
      {"root ::= \"a\"\nroot ::= \"b\"", "defined twice"},
      {"root ::= root \"a\" | \"a\"", "left recursion"},
      {"root ::= a\na ::= n root \"x\" | \"y\"\nn ::= \"z\"?", "left recursion"},
      {"root ::= \"a\" root", "no finite text"},
      {"root ::= \"a", "too early"},
      {"root ::= (\"a\"", "( without"},
      {"root ::= \"a\" )", "unexpected text"},
      {"root = \"a\"", "::= was expected"},
      {"::= \"a\"", "name of a rule"},
      {"root ::= \"\\d\"", "class in a literal"},
  };
  for (const auto& [grammar, reason] : cases) {
    const auto result = CompileEbnf(BytesWorld().table, grammar);
    ASSERT_FALSE(result.ok()) << grammar;
    EXPECT_NE(result.error().message.find(reason), std::string::npos)
        << grammar << ": " << result.error().message;
  }
}

TEST(CompileJsonObject, TakesAnyObjectAndNothingElse) {
  const std::vector<std::string_view> valid = {"{}",
                                               "{\"a\": 1}",
                                               "{\"a\":[1,2.5e3,-0.1],\"b\":{\"c\":null}}",
                                               "{\n  \"a\": true,\n  \"b\": [\n    \"x\"\n  ]\n}",
                                               "{\"\\u00e9\\uD83D\\uDE00\\n\": \"\xC3\xA9\"}",
                                               "\n{\"name\": \"\"}"};
  const std::vector<std::string_view> invalid = {"",
                                                 "1",
                                                 "[]",
                                                 "{\"a\"}",
                                                 "{\"a\": 01}",
                                                 "{\"a\": 1,}",
                                                 "{a: 1}",
                                                 "{\"a\": '",
                                                 "{\"a\": 1",
                                                 "{\"a\": \"\\x\"}",
                                                 "{\"a\": \"\n\"}",
                                                 "{\"a\": \"\\uD83D\"}",
                                                 "{\"a\": nul}",
                                                 "{\"a\": +1}",
                                                 "{\"a\": 1.}"};
  for (const GrammarWorld* world : {&BytesWorld(), &MergesWorld()}) {
    const auto grammar = CompileJsonObject(world->table).value();
    for (const auto text : valid) EXPECT_TRUE(AcceptsText(*world, grammar, text)) << text;
    for (const auto text : invalid) EXPECT_FALSE(AcceptsText(*world, grammar, text)) << text;
  }
}

}  // namespace
}  // namespace glint::text
