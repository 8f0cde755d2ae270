// SPDX-License-Identifier: Apache-2.0
// Token ids to text as they come, never half a code point: a token may end inside a character, and
// then its last bytes wait for the next one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace glint::text {

// One sequence; thread-compatible. What Push and Finish return, joined, is Tokenizer::Decode of
// the same ids.
class Detokenizer {
 public:
  // The tokenizer must outlive this object. `skip_special` leaves special tokens out.
  Detokenizer(const Tokenizer& tokenizer, bool skip_special)
      : tokenizer_(&tokenizer), skip_special_(skip_special) {}

  // The text that this token completed, well-formed UTF-8, perhaps empty. Bytes that can no longer
  // become a character are U+FFFD in it.
  std::string Push(std::int32_t id);

  // What waits for more bytes, as U+FFFD; empty when nothing does. Then starts over.
  std::string Finish();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_;
  std::string waiting_;  // the start of one character, at most three bytes
};

}  // namespace glint::text
