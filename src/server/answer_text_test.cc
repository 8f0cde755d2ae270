// SPDX-License-Identifier: Apache-2.0
#include "server/answer_text.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "server/internal/test_tokenizer.h"

namespace glint::server {
namespace {

struct Text {
  std::string reasoning;
  std::string content;
  bool stopped = false;
};

// The whole answer when tokens come in groups of `group`.
Text Read(const std::string& answer, AnswerText::Options options, std::size_t group) {
  const auto tokenizer = MakeByteTokenizer();
  AnswerText reader(*tokenizer, std::move(options));
  const std::vector<std::int32_t> ids =
      tokenizer->Encode(answer, text::Tokenizer::AddedTokens::kMatch);
  Text all;
  const auto take = [&](const TextDelta& delta) {
    all.reasoning += delta.reasoning;
    all.content += delta.content;
  };
  for (std::size_t at = 0; at < ids.size(); at += group) {
    take(reader.Push(std::span(ids).subspan(at, std::min(group, ids.size() - at))));
  }
  take(reader.Finish());
  all.stopped = reader.stopped();
  return all;
}

void Expect(const std::string& answer, const AnswerText::Options& options,
            const std::string& reasoning, const std::string& content, bool stopped = false) {
  for (std::size_t group = 1; group <= 16; ++group) {
    const Text text = Read(answer, options, group);
    EXPECT_EQ(text.reasoning, reasoning) << group;
    EXPECT_EQ(text.content, content) << group;
    EXPECT_EQ(text.stopped, stopped) << group;
  }
}

TEST(AnswerText, ReasoningEndsAtItsTokenAndNewlinesAfterItGo) {
  Expect("so it is\n</think>\n\nYes, \xC3\xA9\xF0\x9F\x98\x80.\n",
         {.split_reasoning = true, .starts_in_reasoning = true}, "so it is\n",
         "Yes, \xC3\xA9\xF0\x9F\x98\x80.\n");
}

TEST(AnswerText, WithoutAnOpenBlockAllIsContent) {
  Expect("Yes.", {.split_reasoning = true}, "", "Yes.");
}

TEST(AnswerText, ACompletionKeepsItsMarkup) {
  Expect("a<think>b</think>c", {}, "", "a<think>b</think>c");
}

TEST(AnswerText, StopStringsCutContentAcrossTokens) {
  Expect("Yes. STOP and more", {.split_reasoning = true, .stop = {"STOP"}}, "", "Yes. ", true);
  Expect("Yes. STO", {.split_reasoning = true, .stop = {"STOP"}}, "", "Yes. STO");
}

TEST(AnswerText, AStopStringDoesNotSpanReasoningAndContent) {
  Expect("abc</think>def",
         {.split_reasoning = true, .starts_in_reasoning = true, .stop = {"cd", "bcde"}}, "abc",
         "def");
}

TEST(AnswerText, HalfACharacterAtTheEndIsOneReplacement) {
  Expect("a\xF0\x9F", {.split_reasoning = true}, "", "a\xEF\xBF\xBD");
}

TEST(EndsInOpenThink, IsDecidedByTheLastToken) {
  const auto tokenizer = MakeByteTokenizer();
  const auto ends = [&](const char* prompt) {
    return EndsInOpenThink(tokenizer->Encode(prompt, text::Tokenizer::AddedTokens::kMatch),
                           *tokenizer);
  };
  EXPECT_TRUE(ends("x<think>"));
  EXPECT_FALSE(ends("x<think></think>"));
  EXPECT_FALSE(ends("<think>x"));
  EXPECT_FALSE(EndsInOpenThink({}, *tokenizer));
}

}  // namespace
}  // namespace glint::server
