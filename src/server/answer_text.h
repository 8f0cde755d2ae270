// SPDX-License-Identifier: Apache-2.0
// An answer's tokens as what an API sends: reasoning, content and tool calls, cut at stop strings.
//
// Which token is what is text/output_parser.h; stop strings hold in reasoning and in content, each
// by itself, and not in the arguments of calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/replies.h"
#include "base/json.h"
#include "text/detokenizer.h"
#include "text/output_parser.h"
#include "text/stop_strings.h"
#include "text/tokenizer.h"

namespace glint::server {

// What a few tokens added; any part may be empty.
struct AnswerDelta {
  std::string reasoning;
  std::string content;
  std::vector<api::ToolCallDelta> tool_calls;
  [[nodiscard]] bool empty() const {
    return reasoning.empty() && content.empty() && tool_calls.empty();
  }
};

// One answer; thread-compatible.
class AnswerText {
 public:
  struct Options {
    bool parse = false;  // else all of it is content, markup too
    bool starts_in_reasoning = false;
    bool glm45_markup = false;
    std::shared_ptr<const Json> tools;  // the request's; null: none, their markup is text
    std::vector<std::string> stop;
    std::string call_id;  // start of the ids of tool calls
  };
  // The tokenizer must outlive the object.
  AnswerText(const text::Tokenizer& tokenizer, Options options);

  // Never ends inside a character. After stopped(), nothing more comes out.
  AnswerDelta Push(std::span<const std::int32_t> tokens);
  // The end of the answer; `cut_by_length` when the model did not end it.
  AnswerDelta Finish(bool cut_by_length);

  // A stop string was found; it and what follows it are left out.
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] int tool_calls() const { return parser_ ? parser_->tool_calls() : 0; }
  [[nodiscard]] int malformed_calls() const { return parser_ ? parser_->malformed_calls() : 0; }

 private:
  using Kind = text::OutputEvent::Kind;
  void Take(const text::OutputEvent& event, AnswerDelta& delta);
  void AddText(Kind kind, std::string_view text, AnswerDelta& delta);
  void FlushStops(AnswerDelta& delta);
  static std::string& PartOf(AnswerDelta& delta, Kind kind);

  Options options_;
  text::StopStrings stops_;
  Kind kind_ = Kind::kContent;  // of the text that stops_ has seen
  bool stopped_ = false;
  std::optional<text::OutputParser> parser_;
  std::optional<text::Detokenizer> detokenizer_;  // where nothing is parsed
};

// The functions that a request declares, as the parser wants them: {"type": "function", "function":
// {...}} or the inner object alone. What has no name is left out. Points into `tools`.
std::vector<text::ParserTool> DeclaredTools(const Json& tools);

}  // namespace glint::server
