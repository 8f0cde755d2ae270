// SPDX-License-Identifier: Apache-2.0
#include "api/requests.h"

#include <gtest/gtest.h>

#include <string>

namespace glint::api {
namespace {

Json Body(const std::string& text) { return ParseJson(text, "test").value(); }

template <typename Request>
std::string FaultOf(const Parsed<Request>& parsed) {
  const auto* fault = std::get_if<RequestFault>(&parsed);
  return fault == nullptr ? "accepted" : fault->param + ": " + fault->message;
}

std::string ChatFault(const std::string& fields) {
  return FaultOf(
      ParseChatRequest(Body(R"({"messages":[{"role":"user","content":"Hi"}])" + fields + "}")));
}

TEST(ParseChatRequest, ReadsWhatClientsSend) {
  const auto parsed = ParseChatRequest(Body(
      R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":0,"top_p":0.5,
          "top_k":-1,"seed":-3,"max_tokens":5,"max_completion_tokens":7.0,"stop":"x","stream":true,
          "stream_options":{"include_usage":true},"n":1,"logprobs":false,"presence_penalty":0,
          "response_format":{"type":"text"},"tool_choice":"auto","user":"u","unknown":[1],
          "reasoning_effort":"medium","thinking":{"type":"disabled"},
          "chat_template_kwargs":{"clear_thinking":false},"logit_bias":{},"min_p":null,
          "priority":-2,"cache_salt":"tenant"})"));
  ASSERT_EQ(FaultOf(parsed), "accepted");
  const auto& request = std::get<ChatRequest>(parsed);
  EXPECT_EQ(request.fields.model, "m");
  EXPECT_EQ(request.fields.temperature, 0);
  EXPECT_EQ(request.fields.top_k, -1);
  EXPECT_EQ(request.fields.seed, static_cast<std::uint64_t>(-3));
  EXPECT_EQ(request.fields.max_tokens, 7);
  EXPECT_EQ(request.fields.stop, std::vector<std::string>{"x"});
  EXPECT_TRUE(request.fields.stream);
  EXPECT_EQ(request.fields.priority, -2);
  EXPECT_EQ(request.fields.cache_salt, "tenant");
  EXPECT_TRUE(request.fields.include_usage);
  EXPECT_FALSE(request.fields.min_p.has_value());
  EXPECT_EQ(request.template_variables.Write(),
            R"({"reasoning_effort":"high","enable_thinking":false,"clear_thinking":false})");
  EXPECT_TRUE(request.tools.is_null());
}

TEST(ParseChatRequest, ToolsAreForTheTemplateUnlessTheChoiceIsNone) {
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"f"}}])";
  const std::string head = R"({"messages":[{}],)";
  const auto with = ParseChatRequest(Body(head + tools + "}"));
  EXPECT_EQ(std::get<ChatRequest>(with).tools.array()->size(), 1U);
  const auto without = ParseChatRequest(Body(head + tools + R"(,"tool_choice":"none"})"));
  EXPECT_TRUE(std::get<ChatRequest>(without).tools.is_null());
}

TEST(ParseChatRequest, NamesFieldValueAndLimit) {
  EXPECT_EQ(FaultOf(ParseChatRequest(Body("[]"))), ": the body is an array, must be an object");
  EXPECT_EQ(FaultOf(ParseChatRequest(Body("{}"))), "messages: messages is missing");
  EXPECT_EQ(FaultOf(ParseChatRequest(Body(R"({"messages":"x"})"))),
            "messages: messages is a string, must be an array");
  EXPECT_EQ(FaultOf(ParseChatRequest(Body(R"({"messages":[]})"))), "messages: messages is empty");
  EXPECT_EQ(ChatFault(R"(,"temperature":-1)"), "temperature: temperature is -1, must be 0 to 100");
  EXPECT_EQ(ChatFault(R"(,"temperature":"hot")"),
            "temperature: temperature is a string, must be a number");
  EXPECT_EQ(ChatFault(R"(,"max_tokens":0)"),
            "max_tokens: max_tokens is 0, must be an integer from 1 to 2147483647");
  EXPECT_EQ(ChatFault(R"(,"max_tokens":1.5)"),
            "max_tokens: max_tokens is 1.5, must be an integer from 1 to 2147483647");
  EXPECT_EQ(ChatFault(R"(,"stop":[""])"), "stop: stop holds an empty string");
  EXPECT_EQ(ChatFault(R"(,"stop":[1])"),
            "stop: stop is a number, must be a string or an array of strings");
  EXPECT_EQ(ChatFault(R"(,"stream":"yes")"), "stream: stream is a string, must be a boolean");
  EXPECT_EQ(ChatFault(R"(,"stream_options":1)"),
            "stream_options: stream_options is a number, must be an object");
  EXPECT_EQ(ChatFault(R"(,"tools":{})"), "tools: tools is an object, must be an array");
}

TEST(ParseChatRequest, RefusesWhatIsNotServedByName) {
  for (const char* field :
       {R"("n":2)", R"("logprobs":true)", R"("logit_bias":{"1":2})", R"("presence_penalty":0.5)",
        R"("repetition_penalty":1.1)", R"("response_format":{"type":"json_object"})",
        R"("tool_choice":"required")", R"("guided_json":{})"}) {
    EXPECT_NE(ChatFault(std::string(",") + field).find("not supported yet"), std::string::npos)
        << field;
  }
}

TEST(ParseCompletionRequest, TakesTextOrTokenIds) {
  const auto text = ParseCompletionRequest(Body(R"({"prompt":["one"]})"));
  EXPECT_EQ(std::get<std::string>(std::get<CompletionRequest>(text).prompt), "one");
  const auto ids = ParseCompletionRequest(Body(R"({"prompt":[1,2]})"));
  EXPECT_EQ(std::get<std::vector<std::int32_t>>(std::get<CompletionRequest>(ids).prompt),
            (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(FaultOf(ParseCompletionRequest(Body(R"({"prompt":["a","b"]})"))),
            "prompt: prompt must be one string or one array of token ids");
  EXPECT_EQ(FaultOf(ParseCompletionRequest(Body(R"({"prompt":true})"))),
            "prompt: prompt is a boolean, must be a string or an array of token ids");
}

TEST(ParseSimpleRequest, HasItsDefaults) {
  const auto parsed = ParseSimpleRequest(Body(R"({"prompt":"Hi"})"));
  const auto& request = std::get<SimpleRequest>(parsed);
  EXPECT_EQ(request.max_length, 512);
  EXPECT_EQ(request.temperature, 0.7);
  EXPECT_EQ(FaultOf(ParseSimpleRequest(Body(R"({"max_length":5})"))), "prompt: prompt is missing");
}

}  // namespace
}  // namespace glint::api
