// SPDX-License-Identifier: Apache-2.0
// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace glint {

// Bytes of the well-formed sequence that `text` starts with, 1 to 4; 0 when it starts with none
// (an invalid byte, a sequence cut short, or empty text).
std::size_t Utf8SequenceLength(std::string_view text);

// True when all of `text` is well-formed.
bool IsUtf8(std::string_view text);

// Bytes at the start of `text` that are well-formed; less than all of them before an invalid byte
// and before a sequence cut short. Fast on ASCII.
std::size_t Utf8PrefixLength(std::string_view text);

// What one U+FFFD replaces at the start of `text`, not empty, which does not start with a
// well-formed sequence.
struct Utf8Damage {
  std::size_t bytes = 1;   // the longest start of a sequence, or one byte
  bool cut_short = false;  // all of `text`, and more bytes could complete it
};
// Source: The Unicode Standard 15, section 3.9, "U+FFFD Substitution of Maximal Subparts".
Utf8Damage DamageAtStart(std::string_view text);

}  // namespace glint
