// SPDX-License-Identifier: Apache-2.0
#include "server/answer_text.h"

#include <algorithm>
#include <utility>

namespace glint::server {

bool EndsInOpenThink(std::span<const std::int32_t> prompt, const text::Tokenizer& tokenizer) {
  const std::optional<std::int32_t> think = tokenizer.AddedTokenId("<think>");
  return think && !prompt.empty() && prompt.back() == *think;
}

AnswerText::AnswerText(const text::Tokenizer& tokenizer, Options options)
    : detokenizer_(tokenizer, true),
      stops_(options.stop),
      options_(std::move(options)),
      think_(tokenizer.AddedTokenId("<think>")),
      end_think_(tokenizer.AddedTokenId("</think>")),
      in_reasoning_(options_.split_reasoning && options_.starts_in_reasoning) {}

void AnswerText::Add(std::string_view text, TextDelta& delta) {
  if (trim_newlines_) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    trim_newlines_ = text.empty();
  }
  if (text.empty() || stopped_) return;
  if (text.find_first_not_of(" \n") != std::string_view::npos) at_start_ = false;
  const text::StopStrings::Output output = stops_.Push(text);
  stopped_ = output.stopped;
  (in_reasoning_ ? delta.reasoning : delta.content) += output.text;
}

void AnswerText::Switch(bool to_reasoning, TextDelta& delta) {
  Add(detokenizer_.Finish(), delta);
  if (!stopped_) (in_reasoning_ ? delta.reasoning : delta.content) += stops_.Finish();
  stops_ = text::StopStrings(options_.stop);
  in_reasoning_ = to_reasoning;
  trim_newlines_ = !to_reasoning;
}

void AnswerText::PushOne(std::int32_t token, TextDelta& delta) {
  if (options_.split_reasoning && in_reasoning_ && token == end_think_) {
    Switch(false, delta);
  } else if (options_.split_reasoning && token == think_ && at_start_) {
    // GLM-4.5 opens its block itself; a model that repeats an open one says nothing new.
    if (!in_reasoning_) {
      delta.content.clear();
      Switch(true, delta);
    }
  } else {
    Add(detokenizer_.Push(token), delta);
  }
}

TextDelta AnswerText::Push(std::span<const std::int32_t> tokens) {
  TextDelta delta;
  for (const std::int32_t token : tokens) {
    if (!stopped_) PushOne(token, delta);
  }
  return delta;
}

TextDelta AnswerText::Finish() {
  TextDelta delta;
  if (stopped_) return delta;
  Add(detokenizer_.Finish(), delta);
  if (!stopped_) (in_reasoning_ ? delta.reasoning : delta.content) += stops_.Finish();
  return delta;
}

}  // namespace glint::server
