// SPDX-License-Identifier: Apache-2.0
#include "load/vocabulary.h"

#include <gtest/gtest.h>

#include <random>

#include "text/test_tokenizer.h"

namespace glint::load {
namespace {

TEST(Vocabulary, IdsAreTheRange) {
  const Vocabulary ids = Vocabulary::OfIds(5, 8).value();
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids.id(2), 7);
  EXPECT_FALSE(ids.has_text());
  EXPECT_FALSE(Vocabulary::OfIds(8, 8).ok());
  EXPECT_FALSE(Vocabulary::OfIds(-1, 8).ok());
}

TEST(Vocabulary, AnyWordsInARowAreAsManyTokens) {
  text::TestTokenizerOptions options;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    options.merges.emplace_back(" ", std::string(1, letter));
  }
  options.merges.emplace_back(" a", "b");
  const auto tokenizer = text::MakeTestTokenizer(options);
  const Vocabulary words = Vocabulary::OfTokenizer(*tokenizer).value();
  EXPECT_EQ(words.size(), 27U);
  std::mt19937_64 random(1);
  std::string prompt;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 500; ++i) {
    const std::size_t index = random() % words.size();
    prompt += words.piece(index);
    ids.push_back(words.id(index));
  }
  EXPECT_EQ(tokenizer->Encode(prompt, text::Tokenizer::AddedTokens::kIgnore), ids);
}

TEST(Vocabulary, ATokenizerWithoutWordsIsRefused) {
  const auto tokenizer = text::MakeTestTokenizer();
  EXPECT_NE(Vocabulary::OfTokenizer(*tokenizer).error().message.find("0 whole words"),
            std::string::npos);
}

}  // namespace
}  // namespace glint::load
