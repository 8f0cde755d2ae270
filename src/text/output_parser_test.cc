// SPDX-License-Identifier: Apache-2.0
#include "text/output_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/format.h"
#include "text/test_tokenizer.h"

namespace glint::text {
namespace {

constexpr auto kMatch = Tokenizer::AddedTokens::kMatch;
constexpr auto kIgnore = Tokenizer::AddedTokens::kIgnore;

struct Call {
  std::string name;
  std::string arguments;
  bool operator==(const Call&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Call& call) {
  return out << call.name << " " << call.arguments;
}

// What the events of a whole output join to.
struct Joined {
  std::string reasoning;
  std::string content;
  std::vector<Call> calls;
  int malformed = 0;
  bool operator==(const Joined&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Joined& joined) {
  out << "reasoning " << Json(joined.reasoning).Write() << " content "
      << Json(joined.content).Write();
  for (const Call& call : joined.calls) out << " call " << call;
  return out << " malformed " << joined.malformed;
}

const Tokenizer& Bytewise() {
  static const auto tokenizer = MakeTestTokenizer();
  return *tokenizer;
}

// Joins characters to tokens wherever it can, over the borders of names, values and newlines too.
const Tokenizer& Coarse() {
  static const auto tokenizer = MakeTestTokenizer({.merges = {{"\n", "\n"},
                                                              {".", "\n\n"},
                                                              {"e", "r"},
                                                              {"t", "h"},
                                                              {" ", "th"},
                                                              {"\xE4", "\xBD"},
                                                              {"w", "e"},
                                                              {"we", "a"},
                                                              {"{", "\""},
                                                              {"\"", ":"},
                                                              {"n", "u"},
                                                              {"nu", "l"}}});
  return *tokenizer;
}

const std::vector<ParserTool>& Tools() {
  static const Json weather = ParseJson(R"({"type": "object", "properties": {
        "city": {"type": "string"}, "days": {"type": "integer"},
        "unit": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "filter": {"$ref": "#/$defs/filter"}},
        "$defs": {"filter": {"type": "object"}}})",
                                        "test")
                                  .value();
  static const std::vector<ParserTool> tools = {
      {"get_weather", &weather}, {"now", nullptr}, {"write", &weather}};
  return tools;
}

void Append(std::vector<OutputEvent>& to, std::vector<OutputEvent> events) {
  for (OutputEvent& event : events) to.push_back(std::move(event));
}

Joined Join(const std::vector<OutputEvent>& events) {
  Joined joined;
  bool open = false;
  for (const OutputEvent& event : events) {
    if (event.kind == OutputEvent::kReasoning) joined.reasoning += event.text;
    if (event.kind == OutputEvent::kContent) joined.content += event.text;
    if (event.kind == OutputEvent::kToolCallBegin) {
      EXPECT_FALSE(open);
      EXPECT_EQ(event.call_index, static_cast<int>(joined.calls.size()));
      joined.calls.push_back({event.name, ""});
    }
    if (event.kind == OutputEvent::kToolArguments || event.kind == OutputEvent::kToolCallEnd) {
      EXPECT_TRUE(open);
      EXPECT_EQ(event.call_index + 1, static_cast<int>(joined.calls.size()));
      joined.calls.back().arguments += event.text;
    }
    if (event.kind == OutputEvent::kToolCallBegin) open = true;
    if (event.kind == OutputEvent::kToolCallEnd) open = false;
  }
  EXPECT_FALSE(open);
  return joined;
}

Joined Parse(const Tokenizer& tokenizer, std::span<const std::int32_t> ids,
             const ParserOptions& options, bool cut = false) {
  OutputParser parser = OutputParser::Create(tokenizer, options);
  std::vector<OutputEvent> events;
  for (const std::int32_t id : ids) Append(events, parser.Push(id));
  Append(events, parser.Finish(cut));
  Joined joined = Join(events);
  joined.malformed = parser.malformed_calls();
  EXPECT_EQ(parser.tool_calls(), static_cast<int>(joined.calls.size()));
  return joined;
}

// An output as text, in which tags are tags; "{{" and "}}" surround text that ordinary tokens
// spell.
std::vector<std::int32_t> Tokens(const Tokenizer& tokenizer, std::string_view output) {
  std::vector<std::int32_t> ids;
  while (!output.empty()) {
    const std::size_t begin = std::min(output.find("{{"), output.size());
    const std::size_t end = std::min(output.find("}}", begin), output.size());
    const auto tags = tokenizer.Encode(output.substr(0, begin), kMatch);
    ids.insert(ids.end(), tags.begin(), tags.end());
    if (begin == output.size()) break;
    const auto spelled = tokenizer.Encode(output.substr(begin + 2, end - begin - 2), kIgnore);
    ids.insert(ids.end(), spelled.begin(), spelled.end());
    output.remove_prefix(std::min(end + 2, output.size()));
  }
  return ids;
}

struct Output {
  std::string text;
  Joined expected;
  bool starts_in_reasoning = true;
  bool glm45 = false;
  bool parse_tools = true;
};

ParserOptions OptionsOf(const Output& output) {
  return {.starts_in_reasoning = output.starts_in_reasoning,
          .glm45_markup = output.glm45,
          .tools = Tools(),
          .parse_tools = output.parse_tools};
}

// However the text is cut into tokens, it gives what is expected; and wherever the output breaks
// off, what has begun is whole.
void ExpectParsed(const Output& output) {
  const ParserOptions options = OptionsOf(output);
  for (const Tokenizer* tokenizer : {&Bytewise(), &Coarse()}) {
    const auto ids = Tokens(*tokenizer, output.text);
    const Joined whole = Parse(*tokenizer, ids, options);
    EXPECT_EQ(whole, output.expected) << output.text;
    const std::size_t step = tokenizer == &Coarse() ? 1 : 7;
    for (std::size_t count = 0; count < ids.size(); count += step) {
      const Joined part = Parse(*tokenizer, std::span(ids).first(count), options, /*cut=*/true);
      EXPECT_TRUE(whole.reasoning.starts_with(part.reasoning) ||
                  part.reasoning.ends_with("\uFFFD"));
      for (const Call& call : part.calls) {
        EXPECT_TRUE(ParseJson(call.arguments, "arguments").ok()) << call << " of " << output.text;
      }
      EXPECT_LE(part.malformed, whole.malformed);
    }
  }
}

// A piece of an output, and what it should give.
struct Piece {
  std::string text;
  std::vector<Call> calls;
};

// Calls in 5.x markup and in that of 4.5, which puts each part on a line.
std::vector<Piece> CallPieces(bool glm45) {
  const std::string line = glm45 ? "\n" : "";
  const auto call = [&](const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& arguments) {
    std::string text = "<tool_call>" + name + line;
    for (const auto& [key, value] : arguments) {
      text += format("<arg_key>{}</arg_key>{}<arg_value>{}{}{}</arg_value>{}", key, line, line,
                     value, line, line);
    }
    return text + "</tool_call>";
  };
  const Call bern = {"get_weather", R"({"city":"Bern"})"};
  return {
      {"", {}},
      {call("now", {}), {{"now", "{}"}}},
      {call("get_weather", {{"city", "Bern"}}), {bern}},
      {call("get_weather", {{"city", "007"}, {"days", "3"}}),
       {{"get_weather", R"({"city":"007","days":3})"}}},
      {call("get_weather", {{"days", "123456789012345678901234567890"}, {"unit", "null"}}),
       {{"get_weather", R"({"days":123456789012345678901234567890,"unit":null})"}}},
      {call("get_weather", {{"unit", "nullish"}, {"filter", R"({"a": [1, {"b": null}]})"}}),
       {{"get_weather", R"({"unit":"nullish","filter":{"a": [1, {"b": null}]}})"}}},
      {call("write", {{"city", "{{</arg_value></tool_call>}}\n\"x\"\\"}}),
       {{"write", R"({"city":"</arg_value></tool_call>\n\"x\"\\"})"}}},
      {call("write", {{"city", "<think>a</think><tool_call>b<arg_key>"}}),
       {{"write", R"({"city":"<think>a</think><tool_call>b<arg_key>"})"}}},
      {call("get_weather", {{"city", "Bern"}}) + line + call("now", {}), {bern, {"now", "{}"}}},
      {call("now", {}) + "\n\n" + call("get_weather", {{"city", "你好😀"}}) + " \n",
       {{"now", "{}"}, {"get_weather", R"({"city":"你好😀"})"}}},
      {call("now", {{"unknown", "[1, 2]"}, {"word", "two words"}, {"empty", ""}}),
       {{"now", R"({"unknown":[1, 2],"word":"two words","empty":""})"}}},
      {call(" now ", {{" spaced key ", "1"}}), {{"now", R"({"spaced key":1})"}}},
  };
}

// Without the marks around spelled text.
std::string Plain(std::string text) {
  for (const char* mark : {"{{", "}}"}) {
    if (const std::size_t at = text.find(mark); at != std::string::npos) text.erase(at, 2);
  }
  return text;
}

Output Combined(bool glm45, bool prompt_opens, const std::string& reasoning,
                const std::string& content, const Piece& calls) {
  const std::string line = content.empty() ? "" : "\n";
  Output output;
  output.glm45 = glm45;
  output.starts_in_reasoning = prompt_opens;
  output.text =
      (prompt_opens ? "" : "\n<think>") + reasoning + "</think>\n\n" + content + line + calls.text;
  output.expected = {.reasoning = Plain(reasoning),
                     .content = Plain(content) + (calls.text.empty() ? line : ""),
                     .calls = calls.calls};
  return output;
}

// Every combination of a reasoning, a content and a call.
std::vector<Output> WellFormed(bool glm45, bool prompt_opens) {
  std::vector<Output> outputs;
  for (const char* reasoning : {"", "I think.", "the\n\nweather. 你好 {{</think>}}\n"}) {
    for (const char* content : {"", "Hello.", "the answer.\n\nis 42 {{<tool_call>}}😀"}) {
      for (const Piece& calls : CallPieces(glm45)) {
        outputs.push_back(Combined(glm45, prompt_opens, reasoning, content, calls));
      }
    }
  }
  return outputs;
}

TEST(OutputParser, WellFormedOutputsOfAllVersions) {
  std::size_t count = 0;
  for (const bool glm45 : {false, true}) {
    for (const bool prompt_opens : {false, true}) {
      for (const Output& output : WellFormed(glm45, prompt_opens)) {
        ExpectParsed(output);
        ++count;
      }
    }
  }
  EXPECT_EQ(count, 432U);
}

TEST(OutputParser, StartsWithThinkingDisabled) {
  ExpectParsed({"Hi there", {.content = "Hi there"}, false});
  ExpectParsed({"\nHi", {.content = "Hi"}, false});
  ExpectParsed({"<tool_call>now</tool_call>", {.calls = {{"now", "{}"}}}, false});
}

// Row A14, bug 46: the model calls from within its reasoning.
TEST(OutputParser, AToolCallEndsReasoning) {
  ExpectParsed(
      {"I call<tool_call>now</tool_call>", {.reasoning = "I call", .calls = {{"now", "{}"}}}});
  ExpectParsed({"I call<tool_call>now</tool_call></think>Done",
                {.reasoning = "I call", .content = "Done", .calls = {{"now", "{}"}}}});
}

// Rows B1 and 5.4, rule 2.
TEST(OutputParser, NoThinkTagComesOut) {
  ExpectParsed({"<think>a</think>b", {.reasoning = "a", .content = "b"}});
  ExpectParsed({"a<think>b</think>c</think>d", {.reasoning = "ab", .content = "cd"}});
  ExpectParsed({"x</think>y", {.content = "xy"}, false});
  ExpectParsed({"a<think>b</think>c", {.reasoning = "b", .content = "ac"}, false});
}

// Row B2: the model skips thinking and answers at once.
TEST(OutputParser, ReasoningThatTheModelEndsIsTheAnswerButNotWhenCut) {
  const ParserOptions options = {.starts_in_reasoning = true};
  const auto ids = Tokens(Bytewise(), "\nIt is 42.<|user|>");
  EXPECT_EQ(Parse(Bytewise(), ids, options),
            (Joined{.reasoning = "\nIt is 42.", .content = "It is 42."}));
  EXPECT_EQ(Parse(Bytewise(), ids, options, true), (Joined{.reasoning = "\nIt is 42."}));
  EXPECT_EQ(Parse(Bytewise(), {}, options), Joined{});
}

TEST(OutputParser, SpecialTokensBringNothing) {
  ExpectParsed({"</think>Hi<|endoftext|><|user|>", {.content = "Hi"}});
  ExpectParsed({"<tool_call>now</tool_call><|observation|>", {.calls = {{"now", "{}"}}}});
}

// Rows A6 and A15.
TEST(OutputParser, ACallThatBreaksBeforeItsNameIsCompleteIsText) {
  const auto expect_text = [](const std::string& text, const std::string& content) {
    ExpectParsed({"</think>" + text, {.content = content, .malformed = 1}});
  };
  for (const std::string same :
       {"<tool_call>unknown</tool_call>", "<tool_call></tool_call>", "<tool_call>\n\n</tool_call>",
        "<tool_call>get_weat", "<tool_call>", "<tool_call>unknown\nmore</tool_call>after",
        "<tool_call>unknown<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>",
        R"(<tool_call>{"name": "now", "arguments": {}}</tool_call>)", "a <tool_call>nope\n b",
        "<tool_call><arg_value>x</arg_value></tool_call>", "<tool_call>now</arg_key></tool_call>",
        "<tool_call>now<arg_value>x</arg_value></tool_call>"}) {
    expect_text(same, same);
  }
  const std::string endless(3'000, 'x');
  expect_text("<tool_call>" + endless, "<tool_call>" + endless);
  expect_text("<tool_call>abc</think>d", "<tool_call>abcd");
  ExpectParsed({"</think><tool_call>no<tool_call>now</tool_call>",
                {.content = "<tool_call>no", .calls = {{"now", "{}"}}, .malformed = 1}});
  ExpectParsed({"<tool_call>no<think>r</think>c",
                {.reasoning = "r", .content = "<tool_call>noc", .malformed = 1}});
}

TEST(OutputParser, ACallThatBreaksLaterIsClosedAndSkipped) {
  const auto expect_closed = [](const std::string& text, const std::string& arguments) {
    ExpectParsed({text + "</tool_call>after",
                  {.content = "after", .calls = {{"get_weather", arguments}}, .malformed = 1}});
  };
  const std::string name = "<tool_call>get_weather";
  const std::string city = "<arg_key>city</arg_key><arg_value>Bern</arg_value>";
  expect_closed(name + "\nnoise", "{}");
  expect_closed(name + city + "noise", R"({"city":"Bern"})");
  expect_closed(name + "\n<arg_value>x</arg_value>", "{}");
  expect_closed(name + city + "<arg_key>days<arg_value>3</arg_value>", R"({"city":"Bern"})");
  expect_closed(name + "<arg_key></arg_key><arg_value>3</arg_value>", "{}");
  expect_closed(name + "<arg_key>days</arg_key>", "{}");
  expect_closed(name + "<arg_key>days</arg_key>:<arg_value>3</arg_value>", "{}");
  expect_closed(name + "<arg_key>city</arg_key><arg_value>Ber", R"({"city":"Ber"})");
  expect_closed(name + "<arg_key>filter</arg_key><arg_value>{\"a\": 1",
                R"({"filter":"{\"a\": 1"})");
  ExpectParsed({name + city + "<think>r</think>after",
                {.reasoning = "r",
                 .content = "after",
                 .calls = {{"get_weather", R"({"city":"Bern"})"}},
                 .malformed = 1}});
  // The next call may follow at once.
  ExpectParsed({name + city + "<tool_call>now</tool_call>",
                {.calls = {{"get_weather", R"({"city":"Bern"})"}, {"now", "{}"}}, .malformed = 1}});
}

// Row A1.
TEST(OutputParser, ACallCutByLengthIsClosedAndNotMalformed) {
  const ParserOptions options = {.tools = Tools()};
  const auto cut = [&](std::string_view text) {
    return Parse(Bytewise(), Tokens(Bytewise(), text), options, true);
  };
  const std::string start = "<tool_call>get_weather<arg_key>city</arg_key>";
  EXPECT_EQ(cut(start + "<arg_value>Ber"),
            (Joined{.calls = {{"get_weather", R"({"city":"Ber"})"}}}));
  EXPECT_EQ(cut(start), (Joined{.calls = {{"get_weather", "{}"}}}));
  EXPECT_EQ(cut("<tool_call>get_wea"), (Joined{.content = "<tool_call>get_wea"}));
  // Cut inside a character.
  auto ids = Tokens(Bytewise(), start + "<arg_value>你");
  ids.pop_back();
  EXPECT_EQ(Parse(Bytewise(), ids, options, true),
            (Joined{.calls = {{"get_weather", "{\"city\":\"\uFFFD\"}"}}}));
}

TEST(OutputParser, TagsOfCallsAreTextWhereCallsAreNotParsed) {
  const std::string call = "<tool_call>now</tool_call>";
  ExpectParsed({"a" + call + "</think>" + call,
                {.reasoning = "a" + call, .content = call},
                true,
                false,
                false});
}

// Rows A2, A3 and A9: Join checks the order of the events, too.
TEST(OutputParser, RandomMarkupGivesWholeCallsAndNoThinkTag) {
  std::mt19937 random(17);
  const std::vector<std::string> pieces = {"<think>",
                                           "</think>",
                                           "<tool_call>",
                                           "</tool_call>",
                                           "<arg_key>",
                                           "</arg_key>",
                                           "<arg_value>",
                                           "</arg_value>",
                                           "now",
                                           "get_weather",
                                           "city",
                                           "unit",
                                           "null",
                                           "\n",
                                           " ",
                                           "x",
                                           "{\"a\":1}",
                                           "你",
                                           "<|user|>",
                                           "<tool_call>now",
                                           "</arg_key><arg_value>",
                                           "<tool_call>write\n<arg_key>days"};
  for (int round = 0; round < 4'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 25; count > 0; --count)
      text += pieces[random() % pieces.size()];
    const ParserOptions options = {.starts_in_reasoning = random() % 2 == 0,
                                   .glm45_markup = random() % 2 == 0,
                                   .tools = Tools()};
    const bool cut = random() % 2 == 0;
    const Joined joined = Parse(Bytewise(), Tokens(Bytewise(), text), options, cut);
    EXPECT_EQ(joined, Parse(Coarse(), Tokens(Coarse(), text), options, cut)) << text;
    EXPECT_EQ((joined.content + joined.reasoning).find("think>"), std::string::npos) << text;
    for (const Call& call : joined.calls) {
      EXPECT_TRUE(ParseJson(call.arguments, "arguments").ok()) << call << " of " << text;
    }
  }
}

TEST(OutputParser, ANameStreamsOnlyWhenItIsCompleteAndArgumentsAsTheyCome) {
  OutputParser parser = OutputParser::Create(Bytewise(), {.tools = Tools()});
  for (const std::int32_t id : Tokens(Bytewise(), "<tool_call>get_weather")) {
    EXPECT_TRUE(parser.Push(id).empty());
  }
  const auto begin = parser.Push(*Bytewise().AddedTokenId("<arg_key>"));
  ASSERT_EQ(begin.size(), 1U);
  EXPECT_EQ(begin[0].kind, OutputEvent::kToolCallBegin);
  EXPECT_EQ(begin[0].name, "get_weather");
  for (const std::int32_t id : Tokens(Bytewise(), "city</arg_key>")) {
    EXPECT_TRUE(parser.Push(id).empty());
  }
  const auto key = parser.Push(*Bytewise().AddedTokenId("<arg_value>"));
  ASSERT_EQ(key.size(), 1U);
  EXPECT_EQ(key[0].text, R"({"city":)");
  EXPECT_EQ(parser.Push('B').at(0).text, "\"B");
  EXPECT_EQ(parser.Push('"').at(0).text, "\\\"");
}

TEST(OutputParser, MovesWithACallOpen) {
  OutputParser first = OutputParser::Create(Bytewise(), {.tools = Tools()});
  for (const std::int32_t id : Tokens(Bytewise(), "<tool_call>no")) first.Push(id);
  OutputParser second = std::move(first);
  std::vector<OutputEvent> events;
  for (const std::int32_t id : Tokens(Bytewise(), "w</tool_call>")) Append(events, second.Push(id));
  EXPECT_EQ(Join(events), (Joined{.calls = {{"now", "{}"}}}));
}

// Rows B1 and B4, bugs 52 and 53.
TEST(EndsInOpenThink, LooksAtTheLastTurnOnly) {
  const auto open = [](std::string_view prompt) {
    return EndsInOpenThink(Bytewise().Encode(prompt, kMatch), Bytewise());
  };
  EXPECT_TRUE(open("[gMASK]<sop><|user|>Hi<|assistant|><think>"));
  EXPECT_TRUE(open("[gMASK]<sop><|user|>Hi<|assistant|>\n<think>\nSo far"));
  EXPECT_FALSE(open("[gMASK]<sop><|user|>Hi<|assistant|><think></think>"));
  EXPECT_FALSE(open("[gMASK]<sop><|user|>Hi<|assistant|></think>"));
  EXPECT_FALSE(open("[gMASK]<sop><|user|>Hi<|assistant|>"));
  EXPECT_FALSE(open("<|assistant|><think>a<|user|>Hi<|assistant|>"));
  EXPECT_TRUE(open("<|assistant|><think></think>a<|user|>Hi<|assistant|><think>"));
  EXPECT_FALSE(open(""));
}

}  // namespace
}  // namespace glint::text
