// SPDX-License-Identifier: Apache-2.0
#include "text/internal/tokenizer_file.h"

#include <gtest/gtest.h>

#include "text/test_tokenizer.h"

namespace glint::text {
namespace {

// The test file with one part of its text replaced.
std::string With(std::string_view part, std::string_view replacement) {
  std::string text = TestTokenizerFile({.merges = {{"a", "b"}, {"ab", "c"}}}).Write();
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

void ExpectRefused(const std::string& text, std::string_view part) {
  const auto tables = ReadTokenizerFile(text, "tokenizer.json");
  ASSERT_FALSE(tables.ok()) << part;
  EXPECT_EQ(tables.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(tables.error().message.find("tokenizer.json: "), 0U) << tables.error().message;
  EXPECT_NE(tables.error().message.find(part), std::string::npos) << tables.error().message;
}

TEST(TokenizerFile, ReadsMergesAsLinesAndAsPairs) {
  const std::string lines = R"("merges":["a b","ab c"])";
  for (const std::string& text :
       {With(lines, lines), With(lines, R"("merges":[["a","b"],["ab","c"]])")}) {
    const auto tables = ReadTokenizerFile(text, "file");
    ASSERT_TRUE(tables.ok()) << tables.error().message;
    EXPECT_EQ(tables.value().merges.Find('a', 'b').id, 256);
    EXPECT_EQ(tables.value().merges.Find(256, 'c').id, 257);
    EXPECT_EQ(tables.value().merges.Find(256, 'c').rank, 1U);
    EXPECT_EQ(tables.value().merges.Find('b', 'c').id, -1);
  }
}

TEST(TokenizerFile, NamesTheUnsupportedPart) {
  ExpectRefused(With(R"("normalizer":null)", R"("normalizer":{"type":"NFC"})"),
                "normalizer is \"NFC\", must be null");
  ExpectRefused(With(R"("type":"BPE")", R"("type":"Unigram")"),
                "model is \"Unigram\", must be BPE");
  ExpectRefused(With(R"("type":"Split")", R"("type":"Digits")"), "pre_tokenizer is \"Digits\"");
  ExpectRefused(With(R"("type":"Sequence")", R"("type":"Whitespace")"),
                "pre_tokenizer is \"Whitespace\"");
  ExpectRefused(With("Isolated", "Removed"), "must be Isolated");
  ExpectRefused(With(R"("invert":false)", R"("invert":true)"), "invert must be false");
  ExpectRefused(With(R"({"Regex":)", R"({"String":)"), "must be a Regex");
  ExpectRefused(With(R"("use_regex":false)", R"("use_regex":true)"), "use_regex must be false");
  ExpectRefused(With(R"(,"use_regex":false)", ""), "use_regex must be false");
  ExpectRefused(With(R"("add_prefix_space":false)", R"("add_prefix_space":true)"),
                "add_prefix_space");
  ExpectRefused(With(R"("decoder":{"type":"ByteLevel"})", R"("decoder":null)"), "decoder is null");
  ExpectRefused(With(R"("ignore_merges")", R"("byte_fallback":true,"ignore_merges")"),
                "model.byte_fallback is not supported");
  ExpectRefused(With(R"("ignore_merges")", R"("dropout":0.1,"ignore_merges")"), "model.dropout");
  for (const char* name : {"lstrip", "rstrip", "single_word", "normalized"}) {
    const std::string key = name;
    ExpectRefused(With("\"" + key + "\":false", "\"" + key + "\":true"), key + " is not supported");
  }
}

TEST(TokenizerFile, NamesTheDamagedPart) {
  ExpectRefused(With(R"("ab":256)", R"("ab":"x")"), "the id of token \"ab\" is a string");
  ExpectRefused(With(R"("ab":256)", R"("ab":-1)"), "the id of token \"ab\" is -1");
  ExpectRefused(With(R"("ab":256)", R"("ab":16777216)"), "must be an integer from 0 to 16777215");
  ExpectRefused(With(R"("ab":256)", R"("ab":1.5)"), "1.5");
  ExpectRefused(With(R"("ab":256)", R"("ab":257)"), "gives id 257 twice");
  ExpectRefused(With(R"("ab":256)", R"("ab":256,"ab":300)"), "the token \"ab\" twice");
  ExpectRefused(With(R"("ab":256)", R"("ab":256,"":300)"), "an empty token, id 300");
  ExpectRefused(With(R"("A":65,)", ""), "no token for the byte 0x41, spelled A");
  ExpectRefused(With(R"("a b")", R"("a z b")"), "model.merges[0] is neither");
  ExpectRefused(With(R"("a b")", R"(["a"])"), "model.merges[0] is neither");
  ExpectRefused(With(R"("ab c")", R"("ab x")"), "model.merges[1] needs the token \"abx\"");
  ExpectRefused(With(R"("ab c")", R"("zz c")"), "model.merges[1] needs the token \"zz\"");
  ExpectRefused(With(R"("merges":[)", R"("merges":{},"x":[)"), "model.merges must be an array");
  ExpectRefused(With(R"("content":"[MASK]")", R"("content":7)"), "no content, or one that is no");
  ExpectRefused(With(R"("content":"[MASK]")", R"("content":"")"), "has 0 bytes");
  ExpectRefused(With(R"("content":"[MASK]")", R"("content":"<sop>")"), "\"<sop>\" twice");
  ExpectRefused(With(R"("content":"[MASK]")", R"("content":"ab")"), "another id in model.vocab");
  ExpectRefused(With(R"({"id":258)", R"({"id":97)"), "the id already stands for \"a\"");
  ExpectRefused(With(R"({"id":258)", R"({"id":1e9)"), "1e9");
  ExpectRefused(With(R"({"id":258,)", R"({)"), "is missing");
  ExpectRefused("{", "invalid JSON");
  ExpectRefused("[]", "pre_tokenizer is null");
}

TEST(TokenizerFile, ATokenOutsideTheAlphabetStandsForItselfOnly) {
  const auto tables = ReadTokenizerFile(With(R"("ab":256)", R"("ab":256,"x y":900)"), "file");
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  EXPECT_EQ(tables.value().vocabulary.Bytes(900), "x y");
  EXPECT_EQ(tables.value().vocabulary.Find("x y"), Vocabulary::kNoToken);
  EXPECT_EQ(tables.value().vocabulary.size(), 901);
}

}  // namespace
}  // namespace glint::text
