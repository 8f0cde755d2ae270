// SPDX-License-Identifier: Apache-2.0
// An answer's tokens as text: what is reasoning, what is content, and where a stop string ends it.
//
// Source: glm-architecture.md 5.4, states 1 and 2, on token ids and not on strings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text/detokenizer.h"
#include "text/stop_strings.h"
#include "text/tokenizer.h"

namespace glint::server {

// True when a prompt leaves <think> open, so that the answer begins with reasoning.
bool EndsInOpenThink(std::span<const std::int32_t> prompt, const text::Tokenizer& tokenizer);

// Text that a few tokens added; either part may be empty.
struct TextDelta {
  std::string reasoning;
  std::string content;
  [[nodiscard]] bool empty() const { return reasoning.empty() && content.empty(); }
};

// One answer; thread-compatible.
class AnswerText {
 public:
  struct Options {
    bool split_reasoning = false;      // else all of it is content, markup too
    bool starts_in_reasoning = false;  // EndsInOpenThink
    std::vector<std::string> stop;
  };
  AnswerText(const text::Tokenizer& tokenizer, Options options);

  // Never ends inside a character. After stopped(), nothing more comes out.
  TextDelta Push(std::span<const std::int32_t> tokens);
  TextDelta Finish();

  // A stop string was found; it and what follows it are left out.
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void PushOne(std::int32_t token, TextDelta& delta);
  void Add(std::string_view text, TextDelta& delta);
  void Switch(bool to_reasoning, TextDelta& delta);

  text::Detokenizer detokenizer_;
  text::StopStrings stops_;
  Options options_;
  std::optional<std::int32_t> think_;
  std::optional<std::int32_t> end_think_;
  bool in_reasoning_ = false;
  bool at_start_ = true;        // nothing but white space yet
  bool trim_newlines_ = false;  // after </think>
  bool stopped_ = false;
};

}  // namespace glint::server
