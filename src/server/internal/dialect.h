// SPDX-License-Identifier: Apache-2.0
// The shapes that an answer takes: each API turns the same deltas and the same end into its own
// JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/replies.h"
#include "server/answer_text.h"

namespace glint::server {

// All of an answer.
struct AnswerEnd {
  std::string reasoning;
  std::string content;
  std::vector<api::ToolCall> tool_calls;
  std::string finish_reason;  // "stop", "length" or "tool_calls"
  api::Usage usage;

  void Add(const AnswerDelta& delta);
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  // Data of the events of a stream: before any text, for some text, and at the end.
  virtual std::vector<std::string> First() = 0;
  virtual std::vector<std::string> Delta(const AnswerDelta& delta) = 0;
  virtual std::vector<std::string> Last(const AnswerEnd& end) = 0;
  // The reply without a stream.
  virtual std::string Whole(const AnswerEnd& end) = 0;
};

std::unique_ptr<Dialect> MakeChatDialect(api::ReplyHead head, bool include_usage);
std::unique_ptr<Dialect> MakeCompletionDialect(api::ReplyHead head, bool include_usage);
// {"generated_text": ...}; never a stream.
std::unique_ptr<Dialect> MakeSimpleDialect();

}  // namespace glint::server
