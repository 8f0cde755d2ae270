// SPDX-License-Identifier: Apache-2.0
#include "text/internal/pretoken_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/test_tokenizer.h"

namespace glint::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces Split(std::string_view regex, std::string_view text) {
  const PretokenPattern pattern = PretokenPattern::Compile(regex, "test").value();
  PretokenReader reader(pattern);
  reader.Start(text);
  Pieces pieces;
  while (const auto piece = reader.Next()) pieces.emplace_back(*piece);
  return pieces;
}

TEST(PretokenPattern, TextBetweenMatchesIsAPieceToo) {
  EXPECT_EQ(Split("b+", "aabbacb"), (Pieces{"aa", "bb", "ac", "b"}));
  EXPECT_EQ(Split("b+", "aa"), (Pieces{"aa"}));
  EXPECT_EQ(Split("b+", ""), (Pieces{}));
}

TEST(PretokenPattern, GlmPatternCutsContractionsWordsAndPunctuation) {
  EXPECT_EQ(Split(kGlmPattern, "It'S we'll 12345!!\n\n x"),
            (Pieces{"It", "'S", " we", "'ll", " ", "123", "45", "!!\n\n", " x"}));
}

TEST(PretokenPattern, WhiteSpaceIsUnicodes) {
  EXPECT_EQ(Split(R"(\s+)", "a\u180Eb\u00A0c\u3000d\u200Be"),
            (Pieces{"a\u180Eb", "\u00A0", "c", "\u3000", "d\u200Be"}));
  EXPECT_EQ(Split(R"([^\s]+)", "a\u180Eb\u0085c"), (Pieces{"a\u180Eb", "\u0085", "c"}));
  EXPECT_EQ(Split(R"(\S+)", "a\u180Eb\u2028c"), (Pieces{"a\u180Eb", "\u2028", "c"}));
}

TEST(PretokenPattern, RefusesByNameWhatOnigurumaMeansOtherwise) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(\h+)", "\\h is not"},
      {R"(\w+)", "\\w is not"},
      {R"([[:alpha:]])", "within a class"},
      {R"([a&&b])", "&& in a class"},
      {"^a", "the anchor ^"},
      {"a$", "the anchor $"},
      {"(?m:a)", "the group \"(?m:\""},
      {"(*UTF)a", "the group"},
      {"a*", "match nothing"},
      {"[]a]", "an empty class"},
      {"(a", "parenthesis"},
      {"a\\", "ends in a backslash"},
      {"\xFF", "not UTF-8"},
      {R"(\p{Nope})", "unknown"},
      {R"((a)\1)", "\\1 is not"}};
  for (const auto& [pattern, part] : cases) {
    const auto compiled = PretokenPattern::Compile(pattern, "file");
    ASSERT_FALSE(compiled.ok()) << pattern;
    EXPECT_EQ(compiled.error().message.find("file: "), 0U);
    EXPECT_NE(compiled.error().message.find(part), std::string::npos) << compiled.error().message;
  }
}

TEST(PretokenPattern, APatternThatWouldTakeForeverGivesUp) {
  const std::string text(5'000, 'a');
  const Pieces pieces = Split("(?:a+a+)+b", text);
  std::string joined;
  for (const std::string& piece : pieces) joined += piece;
  EXPECT_EQ(joined, text);
}

}  // namespace
}  // namespace glint::text
