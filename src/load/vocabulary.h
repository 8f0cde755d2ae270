// SPDX-License-Identifier: Apache-2.0
// The tokens that random prompts are made of, so that a prompt of n of them is exactly n tokens
// long for the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/tokenizer.h"

namespace glint::load {

class Vocabulary {
 public:
  // Ids low to high - 1, for a server that takes prompts as token ids. No text.
  // kInvalidArgument unless 0 <= low < high.
  static Result<Vocabulary> OfIds(std::int32_t low, std::int32_t high);

  // Tokens of the tokenizer that are a space and a word of ASCII letters: in any order, the text of
  // n of them is n tokens again, because no pre-tokenizer joins two words. kInvalidArgument when
  // the tokenizer has too few.
  static Result<Vocabulary> OfTokenizer(const text::Tokenizer& tokenizer);

  // Some English words. Their tokens are about as many as words, not exactly.
  static Vocabulary OfWords();

  [[nodiscard]] bool has_ids() const { return !ids_.empty(); }
  [[nodiscard]] bool has_text() const { return !pieces_.empty(); }
  // Entries; a prompt is a list of indices below it.
  [[nodiscard]] std::size_t size() const { return has_ids() ? ids_.size() : pieces_.size(); }
  [[nodiscard]] std::int32_t id(std::size_t index) const { return ids_[index]; }
  [[nodiscard]] std::string_view piece(std::size_t index) const { return pieces_[index]; }

 private:
  std::vector<std::int32_t> ids_;
  std::vector<std::string> pieces_;
};

}  // namespace glint::load
