// SPDX-License-Identifier: Apache-2.0
#include "text/output_parser.h"

#include <algorithm>
#include <utility>

#include "text/internal/tool_call_parser.h"

namespace glint::text {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// In the order of MarkupTag.
constexpr std::string_view kTagTexts[] = {"<think>",   "</think>",   "<tool_call>", "</tool_call>",
                                          "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"};

bool IsThinkTag(MarkupTag tag) { return tag == MarkupTag::kThink || tag == MarkupTag::kThinkEnd; }

}  // namespace

OutputParser OutputParser::Create(const Tokenizer& tokenizer, ParserOptions options) {
  return OutputParser(tokenizer, std::move(options));
}

OutputParser::OutputParser(const Tokenizer& tokenizer, ParserOptions options)
    : options_(std::make_unique<const ParserOptions>(std::move(options))),
      detokenizer_(tokenizer, /*skip_special=*/true),
      state_(options_->starts_in_reasoning ? State::kReasoning : State::kContent) {
  for (std::size_t tag = 0; tag < kTagCount; ++tag) {
    const bool think = IsThinkTag(static_cast<MarkupTag>(tag));
    if (think || options_->parse_tools) tags_[tag] = tokenizer.AddedTokenId(kTagTexts[tag]);
  }
}

OutputParser::~OutputParser() = default;
OutputParser::OutputParser(OutputParser&& other) noexcept = default;
OutputParser& OutputParser::operator=(OutputParser&& other) noexcept = default;

std::vector<OutputEvent> OutputParser::Push(std::int32_t id) {
  const auto tag = std::find(tags_.begin(), tags_.end(), id);
  if (tag == tags_.end()) {
    OnText(detokenizer_.Push(id));
  } else {
    // A character that a tag cuts short is damaged text before it.
    OnText(detokenizer_.Finish());
    OnTag(static_cast<MarkupTag>(tag - tags_.begin()));
  }
  return std::exchange(events_, {});
}

std::vector<OutputEvent> OutputParser::Finish(bool cut_by_length) {
  OnText(detokenizer_.Finish());
  if (state_ == State::kReasoning && !cut_by_length) {
    // The model never said that it was done thinking, so this was its answer.
    BeginContent();
    EmitContent(reasoning_);
  } else if (state_ == State::kCall) {
    const ToolCallStatus status = call_->End(events_);
    malformed_calls_ += cut_by_length ? 0 : 1;
    if (status == ToolCallStatus::kText) EmitContent(call_->raw());
  }
  if (content_began_) Emit(OutputEvent::kContent, std::exchange(spaces_, {}));
  return std::exchange(events_, {});
}

void OutputParser::OnText(std::string text) {
  if (text.empty()) return;
  switch (state_) {
    case State::kReasoning:
      reasoning_ += text;
      Emit(OutputEvent::kReasoning, std::move(text));
      return;
    case State::kContent:
    case State::kTextCall:
      EmitContent(text);
      return;
    case State::kCall:
      AfterCallStep(call_->OnText(text, events_), {});
      return;
    case State::kSkip:
      return;
  }
}

void OutputParser::OnTag(MarkupTag tag) {
  const std::string_view text = kTagTexts[static_cast<std::size_t>(tag)];
  if (state_ == State::kCall) {
    AfterCallStep(call_->OnTag(tag, text, events_), tag);
    return;
  }
  if (tag == MarkupTag::kThink) {
    if (state_ != State::kReasoning) BeginReasoning();
  } else if (tag == MarkupTag::kThinkEnd) {
    if (state_ != State::kContent) BeginContent();
  } else if (tag == MarkupTag::kToolCall) {
    BeginCall();
  } else if (state_ == State::kSkip) {
    if (tag == MarkupTag::kToolCallEnd) BeginContent();
  } else {
    // A tag outside of a call that it could belong to.
    OnText(std::string(text));
    if (state_ == State::kTextCall && tag == MarkupTag::kToolCallEnd) state_ = State::kContent;
  }
}

void OutputParser::BeginReasoning() {
  state_ = State::kReasoning;
  reasoning_.clear();
  spaces_.clear();
}

void OutputParser::BeginContent() {
  state_ = State::kContent;
  content_began_ = false;
  spaces_.clear();
}

void OutputParser::BeginCall() {
  // What comes out of a call that is none is content.
  if (state_ == State::kReasoning || state_ == State::kSkip) BeginContent();
  state_ = State::kCall;
  call_ = std::make_unique<ToolCallParser>(*options_, tool_calls_);
}

void OutputParser::AfterCallStep(ToolCallStatus status, std::optional<MarkupTag> tag) {
  if (call_->began()) {
    tool_calls_ = call_->index() + 1;
    spaces_.clear();
  }
  if (status == ToolCallStatus::kOpen) return;
  if (status == ToolCallStatus::kComplete) {
    BeginContent();
    return;
  }
  ++malformed_calls_;
  if (status == ToolCallStatus::kBroken) {
    state_ = State::kSkip;
  } else {
    state_ = State::kTextCall;
    EmitContent(call_->raw());
  }
  // A tag that broke the call may end what follows it.
  if (tag) OnTag(*tag);
}

void OutputParser::EmitContent(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kSpaces);
  if (last == std::string_view::npos) {
    spaces_ += text;
    return;
  }
  std::string out = std::exchange(spaces_, std::string(text.substr(last + 1)));
  out += text.substr(0, last + 1);
  if (!std::exchange(content_began_, true)) out.erase(0, out.find_first_not_of("\r\n"));
  Emit(OutputEvent::kContent, std::move(out));
}

void OutputParser::Emit(OutputEvent::Kind kind, std::string text) {
  if (!text.empty()) events_.push_back({.kind = kind, .text = std::move(text)});
}

bool EndsInOpenThink(std::span<const std::int32_t> prompt, const Tokenizer& tokenizer) {
  const std::optional<std::int32_t> think = tokenizer.AddedTokenId("<think>");
  const std::optional<std::int32_t> think_end = tokenizer.AddedTokenId("</think>");
  for (std::size_t at = prompt.size(); at > 0; --at) {
    const std::int32_t id = prompt[at - 1];
    if (id == think) return true;
    if (id == think_end || tokenizer.IsSpecial(id)) return false;
  }
  return false;
}

}  // namespace glint::text
