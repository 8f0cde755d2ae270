// SPDX-License-Identifier: Apache-2.0
#include "server/prompt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "server/conversation.h"
#include "server/internal/test_served.h"

namespace glint::server {
namespace {

api::ChatRequest Ask(const char* messages) {
  api::ChatRequest request;
  request.messages = ParseJson(messages, "test").value();
  return request;
}

std::string MessageOf(const Result<PreparedRequest>& prepared) {
  return prepared.ok() ? "prepared" : prepared.error().message;
}

TEST(PrepareChat, RendersEncodesAndTakesTheModelsDefaults) {
  TestServed served;
  const auto prepared =
      PrepareChat(served.model, Ask(R"([{"role": "user", "content": "Hi"}])")).value();
  EXPECT_EQ(served.tokenizer->Decode(prepared.generate.prompt, false), "<|user|>Hi<think>");
  EXPECT_TRUE(prepared.answer.starts_in_reasoning);
  EXPECT_TRUE(prepared.answer.parse);
  EXPECT_EQ(prepared.generate.sampling.top_p, 0.5F);
  EXPECT_EQ(prepared.generate.end_tokens, served.model.defaults.end_tokens);
  // All of the context that is left.
  EXPECT_EQ(prepared.generate.max_new_tokens,
            512 - static_cast<std::int64_t>(prepared.generate.prompt.size()));
}

TEST(PrepareChat, TheRequestsFieldsCount) {
  TestServed served;
  api::ChatRequest request = Ask(R"([{"role": "user", "content": "Hi"}])");
  request.fields.temperature = 0.25;
  request.fields.top_k = -1;
  request.fields.seed = 9;
  request.fields.max_tokens = 3;
  request.fields.stop = {"x"};
  request.fields.ignore_eos = true;
  request.template_variables = ParseJson(R"({"enable_thinking": false})", "test").value();
  request.tools = ParseJson(R"([{"name": "f"}])", "test").value();
  const auto prepared = PrepareChat(served.model, request).value();
  EXPECT_EQ(prepared.generate.sampling.temperature, 0.25F);
  EXPECT_EQ(prepared.generate.sampling.top_k, 0);
  EXPECT_EQ(prepared.generate.sampling.seed, 9U);
  EXPECT_EQ(prepared.generate.max_new_tokens, 3);
  EXPECT_TRUE(prepared.generate.end_tokens.empty());
  EXPECT_EQ(prepared.answer.stop, std::vector<std::string>{"x"});
  EXPECT_FALSE(prepared.answer.starts_in_reasoning);
  EXPECT_EQ(DeclaredTools(*prepared.answer.tools).at(0).name, "f");
}

TEST(PrepareChat, WithoutASeedEachRequestHasItsOwn) {
  TestServed served;
  const api::ChatRequest request = Ask(R"([{"role": "user", "content": "Hi"}])");
  EXPECT_NE(PrepareChat(served.model, request).value().generate.sampling.seed,
            PrepareChat(served.model, request).value().generate.sampling.seed);
}

TEST(Prepare, WhatCannotBeIsNamed) {
  TestServed served;
  EXPECT_NE(MessageOf(PrepareChat(served.model, Ask(R"([{"role": "x", "content": "Hi"}])")))
                .find("messages[0]"),
            std::string::npos);
  api::CompletionRequest completion;
  completion.prompt = std::string(600, 'a');
  EXPECT_EQ(MessageOf(PrepareCompletion(served.model, completion)),
            "the prompt has 600 tokens and 1 are to follow, this model's context holds 512");
  completion.prompt = std::string();
  EXPECT_EQ(MessageOf(PrepareCompletion(served.model, completion)), "the prompt has no tokens");
  EXPECT_EQ(MessageOf(PrepareSimple(served.model, {.prompt = "abcdef", .max_length = 6})),
            "max_length is 6, the prompt alone has 6 tokens");
  served.model.chat_template = nullptr;
  EXPECT_EQ(MessageOf(PrepareChat(served.model, Ask(R"([{"role": "user", "content": "Hi"}])"))),
            "this model has no chat template; use /v1/completions");
}

TEST(PrepareSimple, MaxLengthCountsPromptAndAnswer) {
  TestServed served;
  const auto prepared = PrepareSimple(served.model, {.prompt = "abcdef", .max_length = 20}).value();
  EXPECT_EQ(prepared.generate.max_new_tokens, 14);
  // The default of 512 just fits this context; a longer one is cut to it.
  EXPECT_EQ(PrepareSimple(served.model, {.prompt = "ab", .max_length = 9999})
                .value()
                .generate.max_new_tokens,
            510);
}

TEST(Conversation, TurnsAreRememberedUntilForgotten) {
  TestServed served;
  api::ChatRequest request;
  request.fields.temperature = 0;
  request.fields.max_tokens = 5;
  request.fields.ignore_eos = true;
  Conversation conversation(served.model, "S", request);
  const std::atomic<bool> cancelled = false;
  std::string shown;
  const auto show = [&](const AnswerDelta& delta) { shown += delta.reasoning + delta.content; };
  const Turn first = conversation.Say("Hi", show, cancelled).value();
  EXPECT_EQ(first.finish_reason, "length");
  EXPECT_EQ(shown, first.reasoning + first.content);
  EXPECT_EQ(first.usage.completion_tokens, 5);
  const Turn second = conversation.Say("Hi", show, cancelled).value();
  EXPECT_GT(second.usage.prompt_tokens, first.usage.prompt_tokens);
  conversation.Forget();
  const Turn again = conversation.Say("Hi", show, cancelled).value();
  EXPECT_EQ(again.usage.prompt_tokens, first.usage.prompt_tokens);
  EXPECT_EQ(again.reasoning, first.reasoning);
}

TEST(Conversation, ACancelledTurnKeepsWhatCame) {
  TestServed served;
  api::ChatRequest request;
  request.fields.temperature = 0;
  request.fields.ignore_eos = true;
  Conversation conversation(served.model, "", request);
  std::atomic<bool> cancelled = false;
  const auto turn =
      conversation.Say("Hi", [&](const AnswerDelta& /*delta*/) { cancelled = true; }, cancelled);
  ASSERT_TRUE(turn.ok());
  EXPECT_EQ(turn.value().finish_reason, "cancelled");
  EXPECT_LT(turn.value().usage.completion_tokens, 500);
}

}  // namespace
}  // namespace glint::server
