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

}  // namespace glint
