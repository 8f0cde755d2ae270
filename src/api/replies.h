// SPDX-License-Identifier: Apache-2.0
// Replies of the OpenAI API as JSON: whole, as chunks of a stream, and errors.
//
// Source: OpenAI API reference, "The chat completion object", "The chat completion chunk object",
// "The completion object"; reasoning_content as vLLM, SGLang and Z.ai send it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_reader.h"
#include "base/json.h"

namespace glint::api {

// What every object of one reply carries.
struct ReplyHead {
  std::string id;            // "chatcmpl-...", "cmpl-..."
  std::int64_t created = 0;  // seconds since 1970
  std::string model;         // as served
};

struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;  // of the prompt, taken from the prefix cache
};

struct ToolCall {
  std::string id;  // "call_..."
  std::string name;
  std::string arguments;  // JSON text
};

struct ChatAnswer {
  std::optional<std::string> content;    // null when there is none beside tool calls
  std::optional<std::string> reasoning;  // left out when there is none
  std::vector<ToolCall> tool_calls;
  std::string finish_reason;  // "stop", "length", "tool_calls"
};

// A part of one call in a stream: id and name come first and once.
struct ToolCallDelta {
  std::int64_t index = 0;
  std::string id;
  std::string name;
  std::string arguments;
};

// What a chunk adds. Empty parts are left out.
struct ChatDelta {
  bool role = false;  // the first chunk says who speaks
  std::string content;
  std::string reasoning;
  std::vector<ToolCallDelta> tool_calls;
  std::optional<std::string> finish_reason;
};

Json ChatReply(const ReplyHead& head, const ChatAnswer& answer, const Usage& usage);
Json ChatChunk(const ReplyHead& head, const ChatDelta& delta);
Json CompletionReply(const ReplyHead& head, std::string_view text, std::string_view finish_reason,
                     const Usage& usage);
Json CompletionChunk(const ReplyHead& head, std::string_view text,
                     const std::optional<std::string>& finish_reason);
// The last chunk of a stream that asked for usage: no choices.
Json UsageChunk(const ReplyHead& head, bool chat, const Usage& usage);

Json ModelList(const std::vector<std::string>& names, std::int64_t created,
               std::int64_t max_context);

// {"error": {"message", "type", "param", "code"}}. `type` is "invalid_request_error",
// "server_error", ...; `code` may be empty (null).
Json ErrorBody(std::string_view message, std::string_view type, std::string_view param,
               std::string_view code);

}  // namespace glint::api
