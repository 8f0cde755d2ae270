// SPDX-License-Identifier: Apache-2.0
#include "server/answer_text.h"

#include <utility>

#include "base/format.h"

namespace glint::server {

std::vector<text::ParserTool> DeclaredTools(const Json& tools) {
  std::vector<text::ParserTool> declared;
  if (tools.array() == nullptr) return declared;
  declared.reserve(tools.array()->size());
  for (const Json& tool : *tools.array()) {
    const Json* function = tool.Find("function");
    const Json& inner = function != nullptr && function->object() != nullptr ? *function : tool;
    const Json* name = inner.Find("name");
    if (name == nullptr || name->string() == nullptr) continue;
    declared.push_back({.name = *name->string(), .parameters = inner.Find("parameters")});
  }
  return declared;
}

AnswerText::AnswerText(const text::Tokenizer& tokenizer, Options options)
    : options_(std::move(options)), stops_(options_.stop) {
  if (!options_.parse) {
    detokenizer_.emplace(tokenizer, true);
    return;
  }
  const bool has_tools = options_.tools != nullptr;
  parser_ = text::OutputParser::Create(
      tokenizer,
      {.starts_in_reasoning = options_.starts_in_reasoning,
       .glm45_markup = options_.glm45_markup,
       .tools = has_tools ? DeclaredTools(*options_.tools) : std::vector<text::ParserTool>(),
       .parse_tools = has_tools});
}

std::string& AnswerText::PartOf(AnswerDelta& delta, Kind kind) {
  return kind == Kind::kReasoning ? delta.reasoning : delta.content;
}

void AnswerText::FlushStops(AnswerDelta& delta) {
  if (stopped_) return;
  PartOf(delta, kind_) += stops_.Finish();
  stops_ = text::StopStrings(options_.stop);
}

void AnswerText::AddText(Kind kind, std::string_view text, AnswerDelta& delta) {
  if (kind != kind_) FlushStops(delta);
  kind_ = kind;
  const text::StopStrings::Output output = stops_.Push(text);
  PartOf(delta, kind) += output.text;
  stopped_ = stopped_ || output.stopped;
}

void AnswerText::Take(const text::OutputEvent& event, AnswerDelta& delta) {
  if (stopped_) return;
  switch (event.kind) {
    case Kind::kReasoning:
    case Kind::kContent:
      AddText(event.kind, event.text, delta);
      break;
    case Kind::kToolCallBegin:
      FlushStops(delta);
      delta.tool_calls.push_back({.index = event.call_index,
                                  .id = format("{}-{}", options_.call_id, event.call_index),
                                  .name = event.name,
                                  .arguments = ""});
      break;
    case Kind::kToolArguments:
      // One delta for each call, however many pieces its arguments come in.
      if (delta.tool_calls.empty() || delta.tool_calls.back().index != event.call_index) {
        delta.tool_calls.push_back({.index = event.call_index});
      }
      delta.tool_calls.back().arguments += event.text;
      break;
    case Kind::kToolCallEnd:
      break;
  }
}

AnswerDelta AnswerText::Push(std::span<const std::int32_t> tokens) {
  AnswerDelta delta;
  for (const std::int32_t token : tokens) {
    if (stopped_) break;
    if (detokenizer_) {
      AddText(Kind::kContent, detokenizer_->Push(token), delta);
    } else {
      for (const text::OutputEvent& event : parser_->Push(token)) Take(event, delta);
    }
  }
  return delta;
}

AnswerDelta AnswerText::Finish(bool cut_by_length) {
  AnswerDelta delta;
  if (stopped_) return delta;
  if (detokenizer_) {
    AddText(Kind::kContent, detokenizer_->Finish(), delta);
  } else {
    for (const text::OutputEvent& event : parser_->Finish(cut_by_length)) Take(event, delta);
  }
  FlushStops(delta);
  return delta;
}

}  // namespace glint::server
