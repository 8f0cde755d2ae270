// SPDX-License-Identifier: Apache-2.0
#include "server/answer_text.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "server/internal/dialect.h"
#include "text/test_tokenizer.h"

namespace glint::server {
namespace {

struct Text {
  std::string reasoning;
  std::string content;
  bool stopped = false;
};

// The whole answer when tokens come in groups of `group`.
Text Read(const std::string& answer, AnswerText::Options options, std::size_t group, bool cut) {
  const auto tokenizer = text::MakeTestTokenizer();
  AnswerText reader(*tokenizer, std::move(options));
  const std::vector<std::int32_t> ids =
      tokenizer->Encode(answer, text::Tokenizer::AddedTokens::kMatch);
  Text all;
  const auto take = [&](const AnswerDelta& delta) {
    all.reasoning += delta.reasoning;
    all.content += delta.content;
  };
  for (std::size_t at = 0; at < ids.size(); at += group) {
    take(reader.Push(std::span(ids).subspan(at, std::min(group, ids.size() - at))));
  }
  take(reader.Finish(cut));
  all.stopped = reader.stopped();
  return all;
}

void Expect(const std::string& answer, const AnswerText::Options& options,
            const std::string& reasoning, const std::string& content, bool stopped = false,
            bool cut = false) {
  for (std::size_t group = 1; group <= 16; ++group) {
    const Text text = Read(answer, options, group, cut);
    EXPECT_EQ(text.reasoning, reasoning) << group;
    EXPECT_EQ(text.content, content) << group;
    EXPECT_EQ(text.stopped, stopped) << group;
  }
}

TEST(AnswerText, ReasoningEndsAtItsTokenAndNewlinesAfterItGo) {
  Expect("so it is\n</think>\n\nYes, \xC3\xA9\xF0\x9F\x98\x80.\n",
         {.parse = true, .starts_in_reasoning = true}, "so it is\n",
         "Yes, \xC3\xA9\xF0\x9F\x98\x80.\n");
}

TEST(AnswerText, WithoutAnOpenBlockAllIsContent) { Expect("Yes.", {.parse = true}, "", "Yes."); }

TEST(AnswerText, ACompletionKeepsItsMarkup) {
  Expect("a<think>b</think>c", {}, "", "a<think>b</think>c");
}

TEST(AnswerText, StopStringsCutContentAcrossTokens) {
  Expect("Yes. STOP and more", {.parse = true, .stop = {"STOP"}}, "", "Yes. ", true);
  Expect("Yes. STO", {.parse = true, .stop = {"STOP"}}, "", "Yes. STO");
}

TEST(AnswerText, AStopStringDoesNotSpanReasoningAndContent) {
  Expect("abc</think>def", {.parse = true, .starts_in_reasoning = true, .stop = {"cd", "bcde"}},
         "abc", "def");
}

TEST(AnswerText, HalfACharacterAtTheEndIsOneReplacement) {
  Expect("a\xF0\x9F", {.parse = true}, "", "a\xEF\xBF\xBD");
}

// Of one answer, as a reply that is not streamed has them.
std::vector<api::ToolCall> Calls(const std::string& answer, std::size_t group) {
  const auto tokenizer = text::MakeTestTokenizer();
  AnswerText::Options options{.parse = true, .call_id = "call"};
  options.tools = std::make_shared<const Json>(
      ParseJson(
          R"([{"type": "function", "function": {"name": "add", "parameters": {"type": "object",
          "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}}}, {"name": "now"}])",
          "test")
          .value());
  AnswerText reader(*tokenizer, std::move(options));
  const auto ids = tokenizer->Encode(answer, text::Tokenizer::AddedTokens::kMatch);
  AnswerEnd end;
  for (std::size_t at = 0; at < ids.size(); at += group) {
    end.Add(reader.Push(std::span(ids).subspan(at, std::min(group, ids.size() - at))));
  }
  end.Add(reader.Finish(false));
  EXPECT_EQ(reader.malformed_calls(), 0);
  return end.tool_calls;
}

TEST(AnswerText, ToolCallsAreTheSameHoweverManyTokensAStepBrings) {
  for (std::size_t group = 1; group <= 16; ++group) {
    const auto calls = Calls(
        "<tool_call>add<arg_key>a</arg_key><arg_value>12</arg_value><arg_key>b</arg_key>"
        "<arg_value>12</arg_value></tool_call><tool_call>now</tool_call>",
        group);
    ASSERT_EQ(calls.size(), 2U) << group;
    EXPECT_EQ(calls[0].id, "call-0");
    EXPECT_EQ(calls[0].name, "add");
    EXPECT_EQ(ParseJson(calls[0].arguments, "arguments").value().Write(), R"({"a":12,"b":"12"})");
    EXPECT_EQ(calls[1].id, "call-1");
    EXPECT_EQ(calls[1].name, "now");
    EXPECT_EQ(calls[1].arguments, "{}");
  }
}

TEST(AnswerText, ReasoningWithoutItsEndIsTheAnswerUnlessCut) {
  const AnswerText::Options options{.parse = true, .starts_in_reasoning = true};
  Expect("Yes.", options, "Yes.", "Yes.");
  Expect("Yes.", options, "Yes.", "", false, true);
}

}  // namespace
}  // namespace glint::server
