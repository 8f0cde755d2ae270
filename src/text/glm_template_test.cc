// SPDX-License-Identifier: Apache-2.0
// The vectors of the GLM prompt formats (glm-architecture.md 5.2 and 5.3), rendered by templates of
// our own, tests/text/*.jinja.
#include <gtest/gtest.h>

#include <map>
#include <span>

#include "base/embedded_file.h"
#include "text/chat_template.h"

namespace glint::text {

std::span<const EmbeddedFile> TestTemplates();

namespace {

constexpr const char* kHi = R"([{"role": "user", "content": "Hi"}])";
constexpr const char* kWeather =
    R"([{"type": "function", "function": {"name": "get_weather", "description": "Get weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
    "required": ["city"]}}}])";
constexpr const char* kConversation = R"([
    {"role": "system", "content": "S"}, {"role": "user", "content": "Q1"},
    {"role": "assistant", "content": "A1", "reasoning_content": "R1"},
    {"role": "user", "content": "Q2"},
    {"role": "assistant", "content": "", "reasoning_content": "R2", "tool_calls": [
      {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Bern", "n": 3}}},
      {"type": "function", "function": {"name": "now", "arguments": {}}}]},
    {"role": "tool", "content": "sunny"}, {"role": "tool", "content": "12:00"}])";

Json Parsed(const char* text) { return ParseJson(text, "test").value(); }

// Variables by name, written as JSON.
using Variables = std::map<std::string, const char*>;

std::string Render(std::string_view name, const Variables& variables) {
  for (const EmbeddedFile& file : TestTemplates()) {
    if (file.name != name) continue;
    const auto parsed = ChatTemplate::Parse(std::string(file.bytes), name);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    Json object = Json(Json::Object{});
    for (const auto& [key, value] : variables) object.Add(key, Parsed(value));
    const auto text = parsed.value()->Render(object);
    EXPECT_TRUE(text.ok()) << text.error().message;
    return text.value();
  }
  ADD_FAILURE() << "no template " << name;
  return "";
}

std::string Render52(Variables variables) {
  variables.try_emplace("add_generation_prompt", "true");
  return Render("glm-5.2.jinja", variables);
}

TEST(Glm52Template, VectorAOpensThinkingWithMaxEffort) {
  EXPECT_EQ(Render52({{"messages", kHi}}),
            "[gMASK]<sop><|system|>Reasoning Effort: Max<|user|>Hi<|assistant|><think>");
}

TEST(Glm52Template, VectorBThinkingOffClosesItAtOnce) {
  EXPECT_EQ(Render52({{"messages", kHi}, {"enable_thinking", "false"}}),
            "[gMASK]<sop><|user|>Hi<|assistant|><think></think>");
}

TEST(Glm52Template, VectorCEffortIsHighOnlyForExactlyHigh) {
  EXPECT_EQ(Render52({{"messages", kHi}, {"reasoning_effort", "\"high\""}}),
            "[gMASK]<sop><|system|>Reasoning Effort: High<|user|>Hi<|assistant|><think>");
  for (const char* other : {"\"low\"", "null", "\"High\"", "3"}) {
    EXPECT_EQ(Render52({{"messages", kHi}, {"reasoning_effort", other}}),
              Render52({{"messages", kHi}}));
  }
}

constexpr const char* kToolsBlock52 =
    "\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are "
    "provided with function signatures within <tools></tools> XML tags:\n<tools>\n{\"name\": "
    "\"get_weather\", \"description\": \"Get weather\", \"parameters\": {\"type\": \"object\", "
    "\"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}}\n</tools>\n\n"
    "For each function call, output the function name and arguments within the following XML "
    "format:\n<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}"
    "</arg_value><arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>..."
    "</tool_call>";

TEST(Glm52Template, VectorTPrintsTheToolsAsLinesOfJson) {
  EXPECT_EQ(Render52({{"messages", kHi}, {"tools", kWeather}}),
            std::string("[gMASK]<sop><|system|>Reasoning Effort: Max<|system|>") + kToolsBlock52 +
                "<|user|>Hi<|assistant|><think>");
}

TEST(Glm52Template, ToolsLoseServerKeysAndDeferredOnesAreLeftOut) {
  const char* tools = R"([{"name": "get_weather", "strict": true, "description": "Get weather",
      "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
      "required": ["city"]}, "defer_loading": false},
      {"type": "function", "function": {"name": "later", "defer_loading": true}}])";
  EXPECT_EQ(Render52({{"messages", kHi}, {"tools", tools}}),
            Render52({{"messages", kHi}, {"tools", kWeather}}));
}

constexpr const char* kAfterA1 =
    "A1<|user|>Q2<|assistant|><think>R2</think><tool_call>get_weather<arg_key>city</arg_key>"
    "<arg_value>Bern</arg_value><arg_key>n</arg_key><arg_value>3</arg_value></tool_call>"
    "<tool_call>now</tool_call><|observation|><tool_response>sunny</tool_response>"
    "<tool_response>12:00</tool_response><|assistant|><think>";

TEST(Glm52Template, VectorDKeepsTheReasoningOfTheCurrentTurnAlone) {
  EXPECT_EQ(Render52({{"messages", kConversation}}),
            std::string("[gMASK]<sop><|system|>Reasoning Effort: Max<|system|>S<|user|>Q1"
                        "<|assistant|><think></think>") +
                kAfterA1);
}

TEST(Glm52Template, VectorEKeepsAllReasoningWhenClearThinkingIsFalse) {
  EXPECT_EQ(Render52({{"messages", kConversation}, {"clear_thinking", "false"}}),
            std::string("[gMASK]<sop><|system|>Reasoning Effort: Max<|system|>S<|user|>Q1"
                        "<|assistant|><think>R1</think>") +
                kAfterA1);
}

TEST(Glm52Template, VectorFPrintsStringsRawAndOtherArgumentsAsJson) {
  const std::string text = Render52({{"messages", R"([{"role": "user", "content": "x"},
      {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f",
      "arguments": {"a": "s", "b": {"x": [1, "é"]}, "c": null, "d": true, "e": 1.5}}}]}])"}});
  const auto value = [](const char* key, const char* printed) {
    return std::string("<arg_key>") + key + "</arg_key><arg_value>" + printed + "</arg_value>";
  };
  EXPECT_NE(text.find("<tool_call>f" + value("a", "s") + value("b", R"({"x": [1, "é"]})") +
                      value("c", "null") + value("d", "true") + value("e", "1.5") + "</tool_call>"),
            std::string::npos)
      << text;
}

TEST(Glm52Template, VectorGTakesReasoningFromTheContentUnstripped) {
  EXPECT_EQ(Render52({{"add_generation_prompt", "false"}, {"messages", R"([{"role": "assistant",
                        "content": "<think>\nrr\n</think>\n\nans "}])"}}),
            "[gMASK]<sop><|system|>Reasoning Effort: Max<|assistant|><think>\nrr\n</think>ans");
}

TEST(Glm52Template, VectorHJoinsTheTextPartsOfAToolResult) {
  EXPECT_EQ(Render52({{"add_generation_prompt", "false"},
                      {"messages", R"([{"role": "tool", "content": [{"type": "text", "text": "T1"},
                        {"type": "text", "text": "T2"}]}])"}}),
            "[gMASK]<sop><|system|>Reasoning Effort: Max<|observation|>"
            "<tool_response>T1T2</tool_response>");
}

TEST(Glm52Template, VectorIKeepsSpacesOfUsersAndShowsEmptyAnswers) {
  EXPECT_EQ(Render52({{"messages", R"([{"role": "user", "content": " Q "},
                        {"role": "assistant", "content": ""}, {"role": "user", "content": "Z"}])"}}),
            "[gMASK]<sop><|system|>Reasoning Effort: Max<|user|> Q <|assistant|><think></think>"
            "<|user|>Z<|assistant|><think>");
}

TEST(Glm52Template, VectorKSaysThatMediaCannotBeSeen) {
  EXPECT_EQ(Render52({{"add_generation_prompt", "false"},
                      {"messages", R"([{"role": "user", "content": [{"type": "text", "text": "a"},
                        {"type": "image_url", "image_url": {"url": "u"}}, "b"]}])"}}),
            "[gMASK]<sop><|system|>Reasoning Effort: Max<|user|>a<reminder>You are unable to "
            "process this image because you don't have multi-modal input ability. Try different "
            "methods.</reminder>b");
}

TEST(Glm52Template, ToolResultsMayBeSeveralOutputsOrReferencesToTools) {
  const std::string outputs = Render52({{"messages", R"([{"role": "tool",
      "content": [{"output": "o1"}, {"output": "o2"}]}])"}});
  EXPECT_NE(outputs.find("<|observation|><tool_response>o1</tool_response>"
                         "<tool_response>o2</tool_response>"),
            std::string::npos);
  const std::string references =
      Render52({{"tools", kWeather}, {"messages", R"([{"role": "tool", "content":
      [{"type": "tool_reference", "name": "get_weather"}]}])"}});
  EXPECT_NE(references.find("<tool_response><tools>\n{\"name\": \"get_weather\""),
            std::string::npos);
  EXPECT_NE(references.find("\"required\": [\"city\"]}}\n</tools></tool_response>"),
            std::string::npos);
}

std::string Render47(Variables variables) {
  variables.try_emplace("add_generation_prompt", "true");
  return Render("glm-4.7.jinja", variables);
}

TEST(Glm47Template, VectorAOpensThinking) {
  EXPECT_EQ(Render47({{"messages", kHi}}), "[gMASK]<sop><|user|>Hi<|assistant|><think>");
}

TEST(Glm47Template, VectorBThinkingOffIsALoneEndMark) {
  EXPECT_EQ(Render47({{"messages", kHi}, {"enable_thinking", "false"}}),
            "[gMASK]<sop><|user|>Hi<|assistant|></think>");
}

TEST(Glm47Template, HistoryHasALoneEndMarkAndReasoningIsStripped) {
  const char* history = R"([{"role": "user", "content": "Hi"},
      {"role": "assistant", "content": "A1", "reasoning_content": "R1"},
      {"role": "user", "content": "Q"},
      {"role": "assistant", "content": " A2 ", "reasoning_content": "\nR2\n"}])";
  EXPECT_EQ(Render47({{"messages", history}}),
            "[gMASK]<sop><|user|>Hi<|assistant|></think>A1<|user|>Q<|assistant|><think>R2</think>"
            "A2<|assistant|><think>");
}

TEST(Glm47Template, ToolsArePrintedAsTheWholeObject) {
  const std::string text = Render47({{"messages", kHi}, {"tools", kWeather}});
  EXPECT_NE(text.find("<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"get_weather\""),
            std::string::npos)
      << text;
}

std::string Render45(Variables variables) {
  variables.try_emplace("add_generation_prompt", "true");
  return Render("glm-4.5.jinja", variables);
}

TEST(Glm45Template, VectorALetsTheModelOpenThinking) {
  EXPECT_EQ(Render45({{"messages", kHi}}), "[gMASK]<sop><|user|>\nHi<|assistant|>");
}

TEST(Glm45Template, VectorBMarksTheUserTextOnceAndClosesThinking) {
  const char* expected = "[gMASK]<sop><|user|>\nHi/nothink<|assistant|>\n<think></think>";
  EXPECT_EQ(Render45({{"messages", kHi}, {"enable_thinking", "false"}}), expected);
  EXPECT_EQ(Render45({{"messages", R"([{"role": "user", "content": "Hi/nothink"}])"},
                      {"enable_thinking", "false"}}),
            expected);
}

TEST(Glm45Template, HistoryCallsAndResultsStandOnLinesOfTheirOwn) {
  EXPECT_EQ(Render45({{"messages", kConversation}}),
            "[gMASK]<sop><|system|>\nS<|user|>\nQ1<|assistant|>\n<think></think>\nA1<|user|>\nQ2"
            "<|assistant|>\n<think>R2</think>\n<tool_call>get_weather\n<arg_key>city</arg_key>\n"
            "<arg_value>Bern</arg_value>\n<arg_key>n</arg_key>\n<arg_value>3</arg_value>\n"
            "</tool_call>\n<tool_call>now\n</tool_call><|observation|>\n<tool_response>\nsunny\n"
            "</tool_response>\n<tool_response>\n12:00\n</tool_response><|assistant|>");
}

}  // namespace
}  // namespace glint::text
