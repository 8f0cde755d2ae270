// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/test_tokenizer.h"

namespace glint::text {
namespace {

constexpr auto kMatch = Tokenizer::AddedTokens::kMatch;
constexpr auto kIgnore = Tokenizer::AddedTokens::kIgnore;

// The texts of the tokens, which shows how a text was cut.
std::vector<std::string> Cut(const Tokenizer& tokenizer, std::string_view text,
                             Tokenizer::AddedTokens added = kMatch) {
  const std::vector<std::int32_t> ids = tokenizer.Encode(text, added);
  std::vector<std::string> pieces;
  pieces.reserve(ids.size());
  for (const std::int32_t id : ids) {
    pieces.emplace_back(tokenizer.Bytes(id));
  }
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(Tokenizer, DigitsGoInThreesFromTheLeft) {
  const auto tokenizer = MakeTestTokenizer(
      {.merges = {{"1", "2"}, {"12", "3"}, {"4", "5"}, {"45", "6"}, {"6", "7"}, {"3", "4"}}});
  EXPECT_EQ(Cut(*tokenizer, "1234567"), (Pieces{"123", "456", "7"}));
}

TEST(Tokenizer, NewlinesAndSpacesAreCutAsGlmDoes) {
  const auto tokenizer = MakeTestTokenizer(
      {.merges = {
           {"\r", "\n"}, {"\r\n", "\r\n"}, {" ", "\n"}, {" ", " "}, {" ", "a"}, {"\n", "a"}}});
  EXPECT_EQ(Cut(*tokenizer, "\r\n\r\n"), (Pieces{"\r\n\r\n"}));
  EXPECT_EQ(Cut(*tokenizer, " \n"), (Pieces{" \n"}));
  // The last of several spaces goes with the word.
  EXPECT_EQ(Cut(*tokenizer, "   a"), (Pieces{"  ", " a"}));
  EXPECT_EQ(Cut(*tokenizer, " \n a"), (Pieces{" \n", " a"}));
  EXPECT_EQ(Cut(*tokenizer, "a  "), (Pieces{"a", "  "}));
}

TEST(Tokenizer, CjkIsLettersAndPunctuationStandsAlone) {
  const auto tokenizer =
      MakeTestTokenizer({.merges = {{"\xE4", "\xBD"}, {"\xE4\xBD", "\xA0"}, {"你", "\xE5"}}});
  // "你好" is one pre-token, so the token of "你" and the first byte of "好" forms; the comma ends
  // it.
  EXPECT_EQ(Cut(*tokenizer, "你好，你"),
            (Pieces{"你\xE5", "\xA5", "\xBD", "\xEF", "\xBC", "\x8C", "你"}));
}

TEST(Tokenizer, SpacesOfUnicodeAreThoseOfTheReference) {
  // U+180E is no White_Space but PCRE2's \s; U+0085 and U+3000 are in both.
  const auto tokenizer = MakeTestTokenizer({.merges = {{"\xE1", "\xA0"},
                                                       {"\xE1\xA0", "\x8E"},
                                                       {"\xE1\xA0\x8E", "!"},
                                                       {"\xC2", "\x85"},
                                                       {"\xC2\x85", "!"}}});
  EXPECT_EQ(Cut(*tokenizer, "\u180E!"), (Pieces{"\u180E!"}));
  EXPECT_EQ(Cut(*tokenizer, "\u0085!"), (Pieces{"\u0085", "!"}));
}

TEST(Tokenizer, LongSCountsAsSInContractions) {
  const auto tokenizer = MakeTestTokenizer({.merges = {{"\xC5", "\xBF"}, {"ſ", "x"}}});
  EXPECT_EQ(Cut(*tokenizer, "'ſx"), (Pieces{"'", "ſ", "x"}));
}

TEST(Tokenizer, AddedTokensAreTakenFromRawTextLeftmostThenLongest) {
  const auto tokenizer = MakeTestTokenizer();
  EXPECT_EQ(Cut(*tokenizer, "a<|user|>b"), (Pieces{"a", "<|user|>", "b"}));
  EXPECT_EQ(Cut(*tokenizer, "<|user|><|user|>"), (Pieces{"<|user|>", "<|user|>"}));
  EXPECT_EQ(Cut(*tokenizer, "<<think>"), (Pieces{"<", "<think>"}));
  EXPECT_EQ(Cut(*tokenizer, "x/nothink"), (Pieces{"x", "/nothink"}));
  EXPECT_EQ(Cut(*tokenizer, "[gMASK]<sop>"), (Pieces{"[gMASK]", "<sop>"}));
  EXPECT_EQ(Cut(*tokenizer, "<|use"), (Pieces{"<", "|", "u", "s", "e"}));
}

TEST(Tokenizer, IgnoredAddedTokensNeverComeOut) {
  // Merges that would make "/nothink", which is one pre-token, out of its characters.
  TestTokenizerOptions options;
  for (std::size_t length = 1; length < 8; ++length) {
    const std::string_view text = "/nothink";
    options.merges.emplace_back(text.substr(0, length), text.substr(length, 1));
  }
  Json file = TestTokenizerFile(options);
  // Its id in the base vocabulary becomes that of the added token.
  std::string text = file.Write();
  const std::string base_id = R"("/nothink":262)";
  ASSERT_NE(text.find(base_id), std::string::npos);
  const std::string added = R"({"id":294,"content":"/nothink")";
  ASSERT_NE(text.find(added), std::string::npos);
  text.replace(text.find(added), added.size(), R"({"id":262,"content":"/nothink")");
  const auto tokenizer = Tokenizer::Parse(text, "test");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_EQ(Cut(*tokenizer.value(), "/nothink"), (Pieces{"/nothink"}));
  EXPECT_EQ(Cut(*tokenizer.value(), "/nothink", kIgnore), (Pieces{"/nothin", "k"}));
  for (const std::string_view content : kGlmAddedTokens) {
    for (const std::int32_t id : tokenizer.value()->Encode(content, kIgnore)) {
      EXPECT_FALSE(tokenizer.value()->IsAdded(id)) << content;
    }
  }
}

TEST(Tokenizer, MergesGoByRankAndThenFromTheLeft) {
  const auto tokenizer =
      MakeTestTokenizer({.merges = {{"b", "c"}, {"a", "b"}, {"a", "a"}}, .ignore_merges = false});
  EXPECT_EQ(Cut(*tokenizer, "abc"), (Pieces{"a", "bc"}));
  EXPECT_EQ(Cut(*tokenizer, "aaaaa"), (Pieces{"aa", "aa", "a"}));
}

TEST(Tokenizer, IgnoreMergesTakesAPretokenThatIsATokenWhole) {
  // By rank "bc" would form first and "abc" never.
  const std::vector<std::pair<std::string, std::string>> merges = {
      {"b", "c"}, {"a", "b"}, {"ab", "c"}};
  EXPECT_EQ(Cut(*MakeTestTokenizer({.merges = merges, .ignore_merges = true}), "abc"),
            (Pieces{"abc"}));
  EXPECT_EQ(Cut(*MakeTestTokenizer({.merges = merges, .ignore_merges = false}), "abc"),
            (Pieces{"a", "bc"}));
}

TEST(Tokenizer, AnyBytesComeBack) {
  const auto tokenizer = MakeTestTokenizer({.merges = {{"a", "b"}, {"\xE4", "\xBD"}}});
  for (const std::string& text :
       {std::string("ab\xFF\xFE ab"), std::string("\xE4\xBD"), std::string("\x80\x80\x80"),
        std::string("a\0b", 3), std::string("\xF0\x9F\x98"), std::string("\xED\xA0\x80x"),
        std::string()}) {
    std::string joined;
    for (const std::string& piece : Cut(*tokenizer, text)) joined += piece;
    EXPECT_EQ(joined, text);
  }
}

TEST(Tokenizer, OneLongPretokenIsNotQuadratic) {
  const auto tokenizer =
      MakeTestTokenizer({.merges = {{"a", "a"}, {"aa", "aa"}, {"b", "a"}, {" ", " "}}});
  constexpr std::size_t kLength = 1'000'000;
  EXPECT_EQ(tokenizer->Encode(std::string(kLength, 'a'), kMatch).size(), kLength / 4);
  // Spaces before a letter, and before nothing; characters that begin added tokens.
  EXPECT_EQ(tokenizer->Encode(std::string(kLength, ' ') + "x", kMatch).size(), kLength / 2 + 2);
  EXPECT_EQ(tokenizer->Encode(std::string(kLength, ' '), kMatch).size(), kLength / 2);
  EXPECT_EQ(tokenizer->Encode(std::string(kLength, '<'), kMatch).size(), kLength);
}

TEST(Tokenizer, DecodesWithAndWithoutSpecialTokens) {
  const auto tokenizer = MakeTestTokenizer();
  const auto ids = tokenizer->Encode("<|user|>é<think>x</think>", kMatch);
  EXPECT_EQ(tokenizer->Decode(ids, false), "<|user|>é<think>x</think>");
  EXPECT_EQ(tokenizer->Decode(ids, true), "é<think>x</think>");
  const std::vector<std::int32_t> damaged = {'a', 0xE4, 0xBD, 'b', 0xFF, 0xF0, 0x9F};
  EXPECT_EQ(tokenizer->Decode(damaged, false), "a\uFFFDb\uFFFD\uFFFD");
}

TEST(Tokenizer, KnowsItsTokens) {
  const auto tokenizer = MakeTestTokenizer();
  EXPECT_EQ(tokenizer->size(), 256 + 36);
  EXPECT_EQ(tokenizer->AddedTokenId("<|user|>"), 256 + 7);
  EXPECT_EQ(tokenizer->AddedTokenId("<|user"), std::nullopt);
  EXPECT_TRUE(tokenizer->IsSpecial(256 + 17));
  EXPECT_FALSE(tokenizer->IsSpecial(256 + 18));
  EXPECT_TRUE(tokenizer->IsAdded(256 + 18));
  for (const std::int32_t id : {-1, 292, 1 << 30}) {
    EXPECT_EQ(tokenizer->Bytes(id), "");
    EXPECT_FALSE(tokenizer->IsAdded(id));
  }
}

}  // namespace
}  // namespace glint::text
