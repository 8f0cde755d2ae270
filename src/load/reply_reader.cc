// SPDX-License-Identifier: Apache-2.0
#include "load/reply_reader.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"

namespace glint::load {
namespace {

std::int64_t IntOf(const Json* object, std::string_view key) {
  const Json* found = object == nullptr ? nullptr : object->Find(key);
  if (found == nullptr) return 0;
  return std::clamp<std::int64_t>(found->AsInt().value_or(0), 0, 1'000'000'000'000);
}

// Appends the output of a choice; true when it carries any. Reasoning counts: it is generated.
bool TakeOutput(const Json& choice, std::string& text) {
  const Json* delta = choice.Find("delta");
  const Json& holder = delta == nullptr ? choice : *delta;
  bool any = false;
  for (const char* key : {"content", "reasoning_content", "reasoning", "text"}) {
    const Json* found = holder.Find(key);
    if (found == nullptr || found->string() == nullptr || found->string()->empty()) continue;
    text += *found->string();
    any = true;
  }
  const Json* tools = holder.Find("tool_calls");
  return any || (tools != nullptr && tools->array() != nullptr && !tools->array()->empty());
}

}  // namespace

Status ReplyReader::TakeChunk(std::string_view data, RequestRecord::Time now) {
  if (data == "[DONE]") {
    done_ = true;
    return Ok();
  }
  const auto json = ParseJson(data, "chunk");
  if (!json.ok()) return DataLoss(json.error().message);
  if (const Json* error = json.value().Find("error"); error != nullptr && !error->is_null()) {
    return Unavailable(format("error in the stream: {}", Quoted(error->Write(), 200)));
  }
  const Json* choices = json.value().Find("choices");
  bool any = false;
  if (choices != nullptr && choices->array() != nullptr) {
    std::string text;
    for (const Json& choice : *choices->array()) {
      any = TakeOutput(choice, text) || any;
      const Json* reason = choice.Find("finish_reason");
      if (reason != nullptr && reason->string() != nullptr) finished_ = true;
    }
    if (keep_text_) record_.text += text;
  }
  if (any) record_.events.push_back(now);
  if (const Json* usage = json.value().Find("usage"); usage != nullptr && usage->object()) {
    record_.has_usage = true;
    record_.input_tokens = IntOf(usage, "prompt_tokens");
    record_.output_tokens = IntOf(usage, "completion_tokens");
    const Json* details = usage->Find("prompt_tokens_details");
    if (details != nullptr && details->Find("cached_tokens") != nullptr) {
      record_.cached_tokens = IntOf(details, "cached_tokens");
    }
  }
  return Ok();
}

Status ReplyReader::Push(std::string_view bytes, RequestRecord::Time now) {
  GLINT_ASSIGN(const auto events, sse_.Push(bytes));
  for (const api::SseEvent& event : events) GLINT_TRY(TakeChunk(event.data, now));
  return Ok();
}

Status ReplyReader::Finish() {
  if (sse_.HasPartialEvent() || !(done_ || finished_)) {
    return DataLoss(format("the stream was cut after {} events", record_.events.size()));
  }
  if (!record_.has_usage) {
    record_.output_tokens = static_cast<std::int64_t>(record_.events.size());
    record_.input_tokens = record_.asked_input_tokens;
  }
  return Ok();
}

}  // namespace glint::load
