// SPDX-License-Identifier: Apache-2.0
#include "text/chat_messages.h"

#include <gtest/gtest.h>

namespace glint::text {
namespace {

Json Parsed(const char* text) { return ParseJson(text, "test").value(); }

std::string Prepared(const char* messages) {
  const auto prepared = PrepareMessages(Parsed(messages));
  return prepared.ok() ? prepared.value().Write() : "error: " + prepared.error().message;
}

TEST(PrepareMessages, PlainMessagesStayAsTheyAre) {
  const char* plain = R"([{"role":"user","content":"Hi","name":"Bo"}])";
  EXPECT_EQ(Prepared(plain), plain);
}

TEST(PrepareMessages, ArgumentsBecomeObjects) {
  EXPECT_EQ(Prepared(R"([{"role": "assistant", "content": null, "tool_calls": [
      {"id": "1", "function": {"name": "f", "arguments": "{\"a\": 1.50, \"b\": [\"é\"]}"}},
      {"function": {"name": "g", "arguments": ""}}, {"function": {"name": "h"}},
      {"name": "flat", "arguments": {"x": null}}]}])"),
            R"([{"role":"assistant","content":"","tool_calls":[)"
            R"({"id":"1","function":{"name":"f","arguments":{"a":1.50,"b":["é"]}}},)"
            R"({"function":{"name":"g","arguments":{}}},{"function":{"name":"h","arguments":{}}},)"
            R"({"name":"flat","arguments":{"x":null}}]}])");
}

TEST(PrepareMessages, DeveloperIsSystem) {
  EXPECT_EQ(Prepared(R"([{"role": "developer", "content": "x"}])"),
            R"([{"role":"system","content":"x"}])");
}

TEST(PrepareMessages, TextPartsOfToolsAreJoinedAndOtherPartsKept) {
  EXPECT_EQ(Prepared(R"([{"role": "tool", "content": [{"type": "text", "text": "a"}, "b"]}])"),
            R"([{"role":"tool","content":"ab"}])");
  const char* outputs = R"([{"role":"tool","content":[{"output":"a"}]}])";
  EXPECT_EQ(Prepared(outputs), outputs);
  const char* user = R"([{"role":"user","content":[{"type":"text","text":"a"}]}])";
  EXPECT_EQ(Prepared(user), user);
}

TEST(PrepareMessages, WhatNoTemplateCanTakeIsNamed) {
  EXPECT_EQ(Prepared("{}"), "error: messages is an object, must be an array");
  EXPECT_EQ(Prepared("[]"), "error: messages is empty");
  EXPECT_EQ(Prepared("[1]"), "error: messages[0] is a number, must be an object");
  EXPECT_EQ(Prepared(R"([{"content": "x"}])"), "error: messages[0].role is missing");
  EXPECT_EQ(Prepared(R"([{"role": "robot", "content": "x"}])"),
            "error: messages[0].role is \"robot\", must be one of system, developer, user, "
            "assistant, tool");
  EXPECT_EQ(Prepared(R"([{"role": "user"}])"),
            "error: messages[0].content is missing, and a message of role user needs it");
  EXPECT_EQ(Prepared(R"([{"role": "user", "content": 5}])"),
            "error: messages[0].content is a number, must be a string or an array");
  EXPECT_EQ(Prepared(R"([{"role": "user", "content": [{"type": "text"}]}])"),
            "error: messages[0].content[0].text is missing");
  EXPECT_EQ(Prepared(R"([{"role": "assistant", "tool_calls": [{"function": {}}]}])"),
            "error: messages[0].tool_calls[0].function.name is missing or empty");
  EXPECT_EQ(
      Prepared(R"([{"role": "assistant",
      "tool_calls": [{"function": {"name": "f", "arguments": "[1]"}}]}])"),
      "error: messages[0].tool_calls[0].function.arguments is an array, must be the text of a "
      "JSON object");
  EXPECT_TRUE(
      Prepared(R"([{"role": "assistant",
      "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}])")
          .starts_with("error: messages[0].tool_calls[0].function.arguments: invalid JSON"));
  EXPECT_EQ(Prepared(R"([{"role": "assistant", "reasoning_content": 1}])"),
            "error: messages[0].reasoning_content is a number, must be a string");
}

TEST(TemplateVariables, AreThoseOfTransformersAndTheKwargs) {
  EXPECT_EQ(TemplateVariables(Parsed("[]"), Json(), true, Parsed(R"({"enable_thinking": false})"))
                .value()
                .Write(),
            R"({"messages":[],"tools":null,"documents":null,"add_generation_prompt":true,)"
            R"("enable_thinking":false})");
}

TEST(TemplateVariables, WrongOnesAreNamed) {
  EXPECT_EQ(TemplateVariables(Json(), Parsed("[1]"), true, Json()).error().message,
            "tools[0] is a number, must be an object");
  EXPECT_EQ(TemplateVariables(Json(), Json(), true, Parsed("[]")).error().message,
            "the template's kwargs is an array, must be an object");
  EXPECT_EQ(TemplateVariables(Json(), Json(), true, Parsed(R"({"tools": []})")).error().message,
            "tools cannot be given as a kwarg of the template");
}

}  // namespace
}  // namespace glint::text
