// SPDX-License-Identifier: Apache-2.0
#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/utf8.h"
#include "text/test_tokenizer.h"

namespace glint::text {
namespace {

TEST(Detokenizer, AnEmojiSplitAcrossTokensComesOutWhole) {
  const auto tokenizer = MakeTestTokenizer({.merges = {{"\x9F", "\x98"}}});
  Detokenizer detokenizer(*tokenizer, false);
  EXPECT_EQ(detokenizer.Push(0xF0), "");
  EXPECT_EQ(detokenizer.Push(256), "");  // "\x9F\x98"
  EXPECT_EQ(detokenizer.Push(0x80), "😀");
  EXPECT_EQ(detokenizer.Finish(), "");
}

TEST(Detokenizer, WhatCannotBecomeACharacterIsReplacedAtOnce) {
  const auto tokenizer = MakeTestTokenizer();
  Detokenizer detokenizer(*tokenizer, false);
  EXPECT_EQ(detokenizer.Push(0xFF), "\uFFFD");
  EXPECT_EQ(detokenizer.Push(0xE4), "");
  EXPECT_EQ(detokenizer.Push('a'), "\uFFFDa");
  EXPECT_EQ(detokenizer.Push(0xE4), "");
  EXPECT_EQ(detokenizer.Finish(), "\uFFFD");
  EXPECT_EQ(detokenizer.Finish(), "");
  EXPECT_EQ(detokenizer.Push(-1), "");
}

TEST(Detokenizer, SkipsSpecialTokensInsideACharacter) {
  const auto tokenizer = MakeTestTokenizer();
  Detokenizer detokenizer(*tokenizer, true);
  const std::int32_t user = *tokenizer->AddedTokenId("<|user|>");
  EXPECT_EQ(detokenizer.Push(0xC3), "");
  EXPECT_EQ(detokenizer.Push(user), "");
  EXPECT_EQ(detokenizer.Push(0xA9), "é");
}

TEST(Detokenizer, JoinsToWhatDecodeGives) {
  const auto tokenizer = MakeTestTokenizer({.merges = {{"\xE4", "\xBD"}, {"\xA0", "\xF0"}}});
  std::mt19937 random(7);
  const std::vector<std::int32_t> alphabet = {'a',  0x80, 0xBD, 0xA0, 0xC3, 0xE4, 0xED,
                                              0xF0, 0x9F, 0xF4, 0xFF, 256,  257,  265};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::int32_t> ids(1 + random() % 12);
    for (std::int32_t& id : ids) id = alphabet[random() % alphabet.size()];
    Detokenizer detokenizer(*tokenizer, false);
    std::string joined;
    std::string bytes;
    for (const std::int32_t id : ids) {
      const std::string text = detokenizer.Push(id);
      EXPECT_TRUE(IsUtf8(text));
      joined += text;
      bytes += tokenizer->Bytes(id);
    }
    joined += detokenizer.Finish();
    EXPECT_EQ(joined, tokenizer->Decode(ids, false));
    if (IsUtf8(bytes)) {
      EXPECT_EQ(joined, bytes);
    }
  }
}

}  // namespace
}  // namespace glint::text
