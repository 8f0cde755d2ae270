// SPDX-License-Identifier: Apache-2.0
// A model's tokens to reasoning, content and tool calls, as they come: one state machine for the
// markup of GLM 4.5 to 5.x.
//
// It works on token ids, so tags that ordinary tokens spell are text. The API dialects turn the
// events into their own shapes; a reply that is not streamed joins the same events, so it cannot
// differ. No output is an error: what is malformed comes out as text or as a call that is closed,
// and is counted. Source: glm-architecture.md section 5.4; field-reports.md sections 1 and 2.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace glint::text {

struct ParserTool {
  std::string name;
  const Json* parameters = nullptr;  // JSON schema of the arguments; null: nothing is known
};

struct ParserOptions {
  bool starts_in_reasoning = false;  // EndsInOpenThink of this request's prompt
  bool glm45_markup = false;         // GLM 4.5 and 4.6: a newline around each value
  // Calls of other names are text. The schemas must outlive the parser.
  std::vector<ParserTool> tools;
  bool parse_tools = true;  // false: the tags of tool calls are text
};

struct OutputEvent {
  enum Kind : std::uint8_t {
    kReasoning,      // text
    kContent,        // text
    kToolCallBegin,  // name, always one of the declared
    kToolArguments,  // text: the next piece of the arguments' JSON object
    kToolCallEnd,    // the pieces together parse
  };
  Kind kind = kContent;
  std::string text;
  int call_index = 0;  // of the tool call: 0, 1, ...
  std::string name;
};

class ToolCallParser;
enum class MarkupTag : std::uint8_t;
enum class ToolCallStatus : std::uint8_t;

// One sequence; thread-compatible. Whether a piece of text comes out in one event or in several is
// not specified; what they join to does not depend on how many tokens a step brings.
//
// Rules beyond the grammar:
// - <tool_call> ends reasoning. <think> in content begins it again. Think tags never come out.
// - Reasoning that the model ends without </think> was the answer: it comes again, as content. Cut
//   by length it stays reasoning.
// - White space around tool calls is not content, nor are newlines before the first text.
// - A call whose name is not declared, or that breaks off before the name is complete, is content,
//   tags included. One that breaks later is closed, and skipped up to its end.
// - In a value only </arg_value> and </tool_call> are tags.
class OutputParser {
 public:
  // The tokenizer must outlive the parser.
  static OutputParser Create(const Tokenizer& tokenizer, ParserOptions options);
  ~OutputParser();
  OutputParser(OutputParser&& other) noexcept;
  OutputParser& operator=(OutputParser&& other) noexcept;

  // Special tokens (the ends of a turn) bring nothing.
  std::vector<OutputEvent> Push(std::int32_t id);

  // What the end of the output settles; `cut_by_length` when the model did not end it. Last call.
  std::vector<OutputEvent> Finish(bool cut_by_length);

  // Calls that began, and those that were malformed (text or closed early, but not for length).
  [[nodiscard]] int tool_calls() const { return tool_calls_; }
  [[nodiscard]] int malformed_calls() const { return malformed_calls_; }

 private:
  enum class State : std::uint8_t {
    kReasoning,
    kContent,
    kCall,      // call_ takes everything
    kTextCall,  // content up to the end of a call that is none
    kSkip,      // nothing comes out up to the end of a call that is closed
  };
  static constexpr std::size_t kTagCount = 8;

  OutputParser(const Tokenizer& tokenizer, ParserOptions options);

  void OnTag(MarkupTag tag);
  void OnText(std::string text);
  void BeginReasoning();
  void BeginContent();
  void BeginCall();
  // What follows from the state of the call after the text or, if there is one, the tag.
  void AfterCallStep(ToolCallStatus status, std::optional<MarkupTag> tag);
  void EmitContent(std::string_view text);
  void Emit(OutputEvent::Kind kind, std::string text);

  std::unique_ptr<const ParserOptions> options_;             // where call_ finds it
  std::array<std::optional<std::int32_t>, kTagCount> tags_;  // by MarkupTag; empty: is text
  Detokenizer detokenizer_;
  State state_ = State::kContent;
  std::unique_ptr<ToolCallParser> call_;  // in kCall
  std::string reasoning_;                 // of the block that is open
  std::string spaces_;                    // content's trailing white space, held back
  bool content_began_ = false;            // since the start, a </think> or a call
  int tool_calls_ = 0;
  int malformed_calls_ = 0;
  std::vector<OutputEvent> events_;  // of this push
};

// Whether the prompt ends inside a <think> block that its last turn opened. Looks no further back
// than to the last special token, so what earlier turns hold does not matter.
bool EndsInOpenThink(std::span<const std::int32_t> prompt, const Tokenizer& tokenizer);

}  // namespace glint::text
