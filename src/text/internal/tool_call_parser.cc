// SPDX-License-Identifier: Apache-2.0
#include "text/internal/tool_call_parser.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/json.h"

namespace glint::text {
namespace {

// No declared name is that long; what is gets out as text instead of being held back.
constexpr std::size_t kMaxNameBytes = 1'024;
constexpr std::string_view kSpaces = " \t\r\n";

bool IsSpace(std::string_view text) {
  return text.find_first_not_of(kSpaces) == std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

}  // namespace

ToolCallStatus ToolCallParser::OnText(std::string_view text, std::vector<OutputEvent>& events) {
  switch (state_) {
    case State::kName: {
      raw_ += text;
      name_ += text;
      const std::size_t begin = name_.find_first_not_of(kSpaces);
      if (begin == std::string::npos) return ToolCallStatus::kOpen;
      const std::size_t newline = name_.find('\n', begin);
      if (newline == std::string::npos) {
        return name_.size() > kMaxNameBytes ? ToolCallStatus::kText : ToolCallStatus::kOpen;
      }
      // A token may hold the newline and more.
      const std::string rest = name_.substr(newline);
      name_.resize(newline);
      const ToolCallStatus status = CompleteName(events);
      return status == ToolCallStatus::kOpen ? OnText(rest, events) : status;
    }
    case State::kKey:
      key_ += text;
      return ToolCallStatus::kOpen;
    case State::kValue:
      EmitArguments(value_->Push(text), events);
      return ToolCallStatus::kOpen;
    case State::kBetween:
    case State::kAfterKey:
      break;
  }
  if (IsSpace(text)) return ToolCallStatus::kOpen;
  Close(events);
  return ToolCallStatus::kBroken;
}

ToolCallStatus ToolCallParser::OnTag(MarkupTag tag, std::string_view text,
                                     std::vector<OutputEvent>& events) {
  if (state_ == State::kName) {
    if (tag != MarkupTag::kArgKey && tag != MarkupTag::kToolCallEnd) return ToolCallStatus::kText;
    if (const ToolCallStatus status = CompleteName(events); status != ToolCallStatus::kOpen)
      return status;
  }
  if (state_ == State::kBetween && tag == MarkupTag::kArgKey) {
    state_ = State::kKey;
    key_.clear();
  } else if (state_ == State::kBetween && tag == MarkupTag::kToolCallEnd) {
    Close(events);
    return ToolCallStatus::kComplete;
  } else if (state_ == State::kKey && tag == MarkupTag::kArgKeyEnd && !IsSpace(key_)) {
    state_ = State::kAfterKey;
  } else if (state_ == State::kAfterKey && tag == MarkupTag::kArgValue) {
    BeginValue(events);
  } else if (state_ == State::kValue && tag == MarkupTag::kArgValueEnd) {
    EndValue(events);
  } else if (state_ == State::kValue && tag != MarkupTag::kToolCallEnd) {
    EmitArguments(value_->Push(text), events);
  } else {
    Close(events);
    return ToolCallStatus::kBroken;
  }
  return ToolCallStatus::kOpen;
}

ToolCallStatus ToolCallParser::End(std::vector<OutputEvent>& events) {
  if (!began()) return ToolCallStatus::kText;
  Close(events);
  return ToolCallStatus::kBroken;
}

ToolCallStatus ToolCallParser::CompleteName(std::vector<OutputEvent>& events) {
  const std::string_view name = Trimmed(name_);
  const auto found = std::find_if(options_.tools.begin(), options_.tools.end(),
                                  [name](const ParserTool& tool) { return tool.name == name; });
  if (found == options_.tools.end()) return ToolCallStatus::kText;
  tool_ = &*found;
  state_ = State::kBetween;
  raw_.clear();
  events.push_back(
      {.kind = OutputEvent::kToolCallBegin, .call_index = index_, .name = tool_->name});
  return ToolCallStatus::kOpen;
}

void ToolCallParser::BeginValue(std::vector<OutputEvent>& events) {
  const std::string_view key = Trimmed(key_);
  EmitArguments(format("{}{}:", has_arguments_ ? ',' : '{', Json(key).Write()), events);
  has_arguments_ = true;
  value_.emplace(TypeOfArgument(tool_->parameters, key), options_.glm45_markup);
  state_ = State::kValue;
}

void ToolCallParser::EndValue(std::vector<OutputEvent>& events) {
  EmitArguments(value_->Finish(), events);
  value_.reset();
  state_ = State::kBetween;
}

void ToolCallParser::Close(std::vector<OutputEvent>& events) {
  if (state_ == State::kValue) EndValue(events);
  EmitArguments(has_arguments_ ? "}" : "{}", events);
  events.push_back({.kind = OutputEvent::kToolCallEnd, .call_index = index_});
}

void ToolCallParser::EmitArguments(std::string text, std::vector<OutputEvent>& events) const {
  if (text.empty()) return;
  events.push_back(
      {.kind = OutputEvent::kToolArguments, .text = std::move(text), .call_index = index_});
}

}  // namespace glint::text
