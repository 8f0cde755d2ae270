// SPDX-License-Identifier: Apache-2.0
// Requests of the OpenAI chat and completion API, and of the simple /generate, as parsed and
// checked.
//
// Source: OpenAI API reference, "Create chat completion" and "Create completion" (2026); fields of
// vLLM that clients send beside them: top_k, min_p, ignore_eos, priority, cache_salt,
// chat_template_kwargs. A field that is not known is ignored; one that is known and not served yet
// is refused by name unless it asks for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/field_reader.h"
#include "base/json.h"

namespace glint::api {

// What all three have in common. Absent values are the model's defaults.
struct GenerationFields {
  std::string model;  // empty: the one that is served
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<double> min_p;
  std::optional<std::int64_t> top_k;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> max_tokens;  // new tokens
  std::vector<std::string> stop;
  bool stream = false;
  bool include_usage = false;  // a last chunk with usage
  bool ignore_eos = false;     // end tokens do not end the answer
  std::int64_t priority = 0;   // lower is sooner; fits 32 bits
  std::string cache_salt;      // cached prefixes are shared within one salt alone
};

struct ChatRequest {
  GenerationFields fields;
  Json messages;  // an array, not looked into (text/chat_messages.h)
  Json tools;     // an array, or null
  // For the template beside messages and tools: enable_thinking, reasoning_effort, ...
  Json template_variables;
};

struct CompletionRequest {
  GenerationFields fields;
  // Text, or token ids: from 0 up, the server checks them against its vocabulary.
  std::variant<std::string, std::vector<std::int32_t>> prompt;
};

// POST /generate {prompt, max_length, temperature}: max_length counts prompt and new tokens.
struct SimpleRequest {
  std::string prompt;
  std::int64_t max_length = 512;
  double temperature = 0.7;
};

template <typename Request>
using Parsed = std::variant<Request, RequestFault>;

Parsed<ChatRequest> ParseChatRequest(const Json& body);
Parsed<CompletionRequest> ParseCompletionRequest(const Json& body);
Parsed<SimpleRequest> ParseSimpleRequest(const Json& body);

}  // namespace glint::api
