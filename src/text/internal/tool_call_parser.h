// SPDX-License-Identifier: Apache-2.0
// One tool call, from behind its <tool_call> to its end: name, keys, values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/internal/argument_writer.h"
#include "text/output_parser.h"

namespace glint::text {

enum class MarkupTag : std::uint8_t {
  kThink,
  kThinkEnd,
  kToolCall,
  kToolCallEnd,
  kArgKey,
  kArgKeyEnd,
  kArgValue,
  kArgValueEnd,
};

enum class ToolCallStatus : std::uint8_t {
  kOpen,
  kComplete,  // ended by its tag
  kBroken,    // malformed behind its name: closed, what follows is to be skipped
  kText,      // malformed, and nothing came out: raw() is text
};

class ToolCallParser {
 public:
  // `options` must outlive this object. Events carry `index`.
  ToolCallParser(const ParserOptions& options, int index) : options_(options), index_(index) {}

  // The next token, which must follow kOpen. A tag comes with the text that it has.
  ToolCallStatus OnText(std::string_view text, std::vector<OutputEvent>& events);
  ToolCallStatus OnTag(MarkupTag tag, std::string_view text, std::vector<OutputEvent>& events);

  // Where the output ends: kBroken or kText.
  ToolCallStatus End(std::vector<OutputEvent>& events);

  // All text so far, from <tool_call> on; kept until the name is complete.
  [[nodiscard]] const std::string& raw() const { return raw_; }
  [[nodiscard]] int index() const { return index_; }
  // Whether the name is complete.
  [[nodiscard]] bool began() const { return tool_ != nullptr; }

 private:
  enum class State : std::uint8_t { kName, kBetween, kKey, kAfterKey, kValue };

  ToolCallStatus CompleteName(std::vector<OutputEvent>& events);
  void BeginValue(std::vector<OutputEvent>& events);
  void EndValue(std::vector<OutputEvent>& events);
  void Close(std::vector<OutputEvent>& events);
  void EmitArguments(std::string text, std::vector<OutputEvent>& events) const;

  const ParserOptions& options_;
  int index_;
  State state_ = State::kName;
  const ParserTool* tool_ = nullptr;
  std::string raw_ = "<tool_call>";
  std::string name_;
  std::string key_;
  bool has_arguments_ = false;
  std::optional<ArgumentWriter> value_;
};

}  // namespace glint::text
