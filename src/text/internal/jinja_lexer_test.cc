// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_lexer.h"

#include <gtest/gtest.h>

namespace glint::text::jinja {
namespace {

// Tokens on one line: data in brackets, the end left out.
std::string Tokens(std::string_view source) {
  const auto tokens = Tokenize(source);
  if (!tokens.ok()) return "error: " + tokens.error().message;
  std::string out;
  for (const Token& token : tokens.value()) {
    if (token.kind == TokenKind::kEnd) break;
    if (!out.empty()) out += ' ';
    if (token.kind == TokenKind::kData) {
      out += '[' + token.text + ']';
    } else if (token.kind == TokenKind::kVariableBegin) {
      out += "{{";
    } else if (token.kind == TokenKind::kBlockBegin) {
      out += "{%";
    } else {
      out += token.text;
    }
  }
  return out;
}

TEST(Lexer, OneNewlineAfterABlockAndTheLastOfTheTemplateGo) {
  EXPECT_EQ(Tokens("{% a %}\n\nb\n\n"), "{% a %} [\nb\n]");
  EXPECT_EQ(Tokens("{{ a }}\nb"), "{{ a }} [\nb]");
}

TEST(Lexer, SpaceBeforeABlockGoesWhenNothingElseIsOnTheLine) {
  EXPECT_EQ(Tokens("x\n \t{% a %}"), "[x\n] {% a %}");
  EXPECT_EQ(Tokens("x {% a %}"), "[x ] {% a %}");
  EXPECT_EQ(Tokens("  {{ a }}"), "[  ] {{ a }}");
  EXPECT_EQ(Tokens("{% a %} {% b %}"), "{% a %} [ ] {% b %}");
  EXPECT_EQ(Tokens("{% a %}\n {% b %}"), "{% a %} {% b %}");
}

TEST(Lexer, SignsKeepOrTakeSpace) {
  EXPECT_EQ(Tokens("x\n {%+ a +%}\ny"), "[x\n ] {% a %} [\ny]");
  EXPECT_EQ(Tokens("x \n\n {%- a -%} \n\n y"), "[x] {% a %} [y]");
  EXPECT_EQ(Tokens("x {{- a -}} y"), "[x] {{ a }} [y]");
}

TEST(Lexer, CommentsAndRawBlocksAreNoCode) {
  EXPECT_EQ(Tokens("a{# {{ b }} #}\nc"), "[a] [c]");
  EXPECT_EQ(Tokens("{% raw %}{{ b }}{% endraw %}"), "[{{ b }}]");
  EXPECT_EQ(Tokens("{# a"), "error: line 1: missing end of comment tag");
  EXPECT_EQ(Tokens("\n{% raw %}a"), "error: line 2: missing end of raw directive");
}

TEST(Lexer, ATagMayBeCutAnywhere) {
  const std::string_view whole = "a{%- raw -%}b{%- endraw -%}{{ 'x' ~ 1.5e3 -}}{#- c +#}{% d +%}";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    EXPECT_NE(Tokens(whole.substr(0, length)), "no answer");
  }
  EXPECT_EQ(Tokens("{% raw %}{% endraw "), "error: line 1: missing end of raw directive");
}

TEST(Lexer, BracesOfDictsDoNotEndATag) {
  EXPECT_EQ(Tokens("{{ {'a': {}}}}"), "{{ { a : { } } }}");
  EXPECT_EQ(Tokens("{{ ) }}"), "error: line 1: unexpected ')'");
}

TEST(Lexer, NumbersAreIntegersOrReals) {
  EXPECT_EQ(Tokens("{{ 1_000 0x1F 1.5e-3 a.0.1 7.x }}"), "{{ 1000 0x1F 1.5e-3 a . 0 . 1 7 . x }}");
}

TEST(Lexer, LinesAreCountedThroughAllKindsOfText) {
  const auto tokens = Tokenize("a\r\n{# \n #}\n{{ 'x\n' }}\r{{ b }}");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens.value()[tokens.value().size() - 3].text, "b");
  EXPECT_EQ(tokens.value()[tokens.value().size() - 3].line, 6);
}

}  // namespace
}  // namespace glint::text::jinja
