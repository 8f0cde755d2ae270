// SPDX-License-Identifier: Apache-2.0
// CompileToolCalls of text/grammar_compiler.h.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/output_parser.h"
#include "text/test_grammar.h"

namespace glint::text {
namespace {

Json Schema(std::string_view text) { return ParseJson(text, "test").value(); }

class ToolGrammarTest : public testing::Test {
 protected:
  // Tags in the text are tokens.
  [[nodiscard]] bool Accepts(std::string_view text) const {
    return AcceptsTokens(*world_, grammar_,
                         world_->tokenizer->Encode(text, Tokenizer::AddedTokens::kMatch));
  }

  void Compile(const ToolCallOptions& options = {}) {
    const ToolGrammar tools[] = {{"get_weather", &weather_}, {"get", nullptr}, {"set", &set_}};
    const auto grammar = CompileToolCalls(world_->table, tools, options);
    ASSERT_TRUE(grammar.ok()) << grammar.error().message;
    grammar_ = grammar.value();
  }

  const GrammarWorld* world_ = &MergesWorld();
  Json weather_ = Schema(R"({"type": "object", "properties": {
      "city": {"type": "string"}, "days": {"type": "integer", "minimum": 1},
      "unit": {"type": "string", "enum": ["C", "F"]}, "note": {"type": ["string", "null"]},
      "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
      "short": {"type": "string", "maxLength": 2},
      "list": {"type": "array", "items": {"type": "string"}}, "any": {}},
      "required": ["city"]})");
  Json set_ = Schema(R"({"type": "object", "properties": {"a": {"type": "boolean"}},
      "additionalProperties": {"type": "string"}})");
  std::shared_ptr<const CompiledGrammar> grammar_;
};

TEST_F(ToolGrammarTest, CallsHaveDeclaredNamesAndTypedArguments) {
  Compile();
  const std::string call = "<tool_call>get_weather<arg_key>city</arg_key><arg_value>";
  const auto with = [&call](std::string_view key, std::string_view value) {
    return call + "x</arg_value><arg_key>" + std::string(key) + "</arg_key><arg_value>" +
           std::string(value) + "</arg_value></tool_call>";
  };
  EXPECT_TRUE(Accepts(call + "Bern</arg_value></tool_call>"));
  EXPECT_TRUE(Accepts(call + "</arg_value></tool_call>"));
  EXPECT_TRUE(Accepts(call + "{\"a\": 1}\n\"\xC3\xA9</arg_value></tool_call>"));
  EXPECT_TRUE(Accepts("<tool_call>get</tool_call>"));
  EXPECT_TRUE(Accepts("<tool_call>get</tool_call>" + call + "x</arg_value></tool_call>"));
  EXPECT_TRUE(Accepts(with("days", "3")));
  EXPECT_TRUE(Accepts(with("unit", "C")));
  EXPECT_TRUE(Accepts(with("note", "null")));
  EXPECT_TRUE(Accepts(with("note", "some text")));
  EXPECT_TRUE(Accepts(with("code", "CH")));
  EXPECT_TRUE(Accepts(with("short", "\xC3\xA9\xC3\xA9")));
  EXPECT_TRUE(Accepts(with("list", "[\"a\", \"b\"]")));
  EXPECT_TRUE(Accepts(with("any", "{\"x\": [null]}")));

  EXPECT_FALSE(Accepts(""));
  EXPECT_FALSE(Accepts("x<tool_call>get</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>get"));
  EXPECT_FALSE(Accepts("<tool_call>get_weather</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>got</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>ge</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>get<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>"));
  EXPECT_FALSE(Accepts(with("days", "0")));
  EXPECT_FALSE(Accepts(with("days", "\"3\"")));
  EXPECT_FALSE(Accepts(with("unit", "K")));
  EXPECT_FALSE(Accepts(with("unit", "\"C\"")));
  EXPECT_FALSE(Accepts(with("code", "ch")));
  EXPECT_FALSE(Accepts(with("short", "abc")));
  EXPECT_FALSE(Accepts(with("list", "a")));
  EXPECT_FALSE(Accepts(with("other", "1")));
  EXPECT_FALSE(Accepts(with("city", "y")));
}

TEST_F(ToolGrammarTest, UndeclaredArgumentsNeedTheSchemasWord) {
  Compile();
  const auto arg = [](std::string_view key, std::string_view value) {
    return "<arg_key>" + std::string(key) + "</arg_key><arg_value>" + std::string(value) +
           "</arg_value>";
  };
  EXPECT_TRUE(Accepts("<tool_call>set</tool_call>"));
  EXPECT_TRUE(Accepts("<tool_call>set" + arg("a", "true") + arg("b", "any text") + "</tool_call>"));
  EXPECT_TRUE(Accepts("<tool_call>set" + arg("ab", "") + arg("c", "x") + "</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>set" + arg("a", "x") + "</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>set" + arg("b", "x") + arg("a", "true") + "</tool_call>"));
}

TEST_F(ToolGrammarTest, OneCallWhereOneIsAsked) {
  Compile({.max_calls = 1});
  EXPECT_TRUE(Accepts("<tool_call>get</tool_call>"));
  EXPECT_FALSE(Accepts("<tool_call>get</tool_call><tool_call>get</tool_call>"));
}

TEST_F(ToolGrammarTest, Glm45WritesNewlines) {
  Compile({.glm45_markup = true});
  EXPECT_TRUE(
      Accepts("\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Bern</arg_value>\n"
              "</tool_call>\n<tool_call>get\n</tool_call>"));
  EXPECT_TRUE(Accepts("<tool_call>get</tool_call>"));
}

TEST_F(ToolGrammarTest, TagsThatOrdinaryTokensSpellAreText) {
  Compile();
  const auto ordinary = [this](std::string_view text) {
    return world_->tokenizer->Encode(text, Tokenizer::AddedTokens::kIgnore);
  };
  auto tokens = world_->tokenizer->Encode(
      "<tool_call>get_weather<arg_key>city</arg_key><arg_value>", Tokenizer::AddedTokens::kMatch);
  const auto value = ordinary("a</arg_value></tool_call>");
  tokens.insert(tokens.end(), value.begin(), value.end());
  EXPECT_FALSE(AcceptsTokens(*world_, grammar_, tokens));
  tokens.push_back(world_->Added("</arg_value>"));
  tokens.push_back(world_->Added("</tool_call>"));
  EXPECT_TRUE(AcceptsTokens(*world_, grammar_, tokens));
  EXPECT_FALSE(AcceptsTokens(*world_, grammar_, ordinary("<tool_call>get</tool_call>")));
}

// Picks tokens that a mask allows; tags often, so that texts end.
class TokenPicker {
 public:
  explicit TokenPicker(const GrammarWorld& world) {
    for (const char* tag : {"</arg_value>", "</tool_call>", "<|user|>"}) {
      tags_.push_back(world.Added(tag));
    }
  }

  std::int32_t Pick(const std::vector<std::uint32_t>& mask) {
    for (const std::int32_t tag : tags_) {
      if (Allows(mask, tag) && Random() % 4 == 0) return tag;
    }
    std::int32_t id = 0;
    do {
      id = static_cast<std::int32_t>(Random() % static_cast<std::uint32_t>(mask.size() * 32));
    } while (!Allows(mask, id));
    return id;
  }

 private:
  static bool Allows(const std::vector<std::uint32_t>& mask, std::int32_t id) {
    return (mask[static_cast<std::size_t>(id / 32)] >> (id % 32) & 1) != 0;
  }
  std::uint32_t Random() {
    random_ = random_ * 1'103'515'245 + 12'345;
    return random_ >> 8;
  }

  std::vector<std::int32_t> tags_;
  std::uint32_t random_ = 5;
};

// Follows the calls in an output: only calls, and arguments that parse.
class CallWatcher {
 public:
  void See(const std::vector<OutputEvent>& events) {
    for (const OutputEvent& event : events) {
      EXPECT_NE(event.kind, OutputEvent::kContent);
      if (event.kind == OutputEvent::kToolCallBegin) arguments_.clear();
      if (event.kind == OutputEvent::kToolArguments) arguments_ += event.text;
      if (event.kind != OutputEvent::kToolCallEnd) continue;
      EXPECT_TRUE(ParseJson(arguments_, "arguments").ok()) << arguments_;
    }
  }

 private:
  std::string arguments_;
};

// What the masks allow, the parser of the output reads as calls that hold to the schemas.
TEST_F(ToolGrammarTest, RandomCallsAreCallsForTheOutputParser) {
  Compile({.max_calls = 2});
  TokenPicker picker(*world_);
  for (int run = 0; run < 200; ++run) {
    const auto matcher = world_->Match(grammar_);
    OutputParser parser = OutputParser::Create(
        *world_->tokenizer,
        {.tools = {{"get_weather", &weather_}, {"get", nullptr}, {"set", &set_}}});
    std::vector<std::uint32_t> mask(world_->words());
    CallWatcher watcher;
    bool ended = false;
    for (int step = 0; step < 5'000 && !ended; ++step) {
      matcher->FillMasks({}, mask);
      const std::int32_t token = picker.Pick(mask);
      ASSERT_TRUE(matcher->Accept(token));
      watcher.See(parser.Push(token));
      ended = token == world_->Added("<|user|>") || token == world_->Added("<|endoftext|>");
    }
    EXPECT_TRUE(ended);
    EXPECT_TRUE(parser.Finish(false).empty());
    EXPECT_GE(parser.tool_calls(), 1);
    EXPECT_EQ(parser.malformed_calls(), 0);
  }
}

TEST_F(ToolGrammarTest, RefusesToolsThatCannotBeCalled) {
  const auto reason = [this](std::string_view name, std::string_view parameters) {
    const Json schema = Schema(parameters);
    const ToolGrammar tools[] = {{std::string(name), &schema}};
    const auto grammar = CompileToolCalls(world_->table, tools, {});
    return grammar.ok() ? std::string() : grammar.error().message;
  };
  EXPECT_EQ(reason("f", "{}"), "");
  EXPECT_NE(reason("f", R"({"type": "string"})").find("tool \"f\": its parameters are no object"),
            std::string::npos);
  EXPECT_NE(reason("", "{}").find("name"), std::string::npos);
  EXPECT_NE(reason("f", R"({"properties": {" a": {}}})").find("cannot be written"),
            std::string::npos);
  EXPECT_NE(reason("f", R"({"properties": {"a": {"not": {}}}})").find("keyword not"),
            std::string::npos);
  EXPECT_FALSE(CompileToolCalls(world_->table, {}, {}).ok());
}

}  // namespace
}  // namespace glint::text
