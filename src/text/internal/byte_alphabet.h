// SPDX-License-Identifier: Apache-2.0
// How byte-level BPE files write bytes as printable characters.
//
// Printable bytes of Latin-1 stand for themselves; the others, in order, for U+0100, U+0101, ...
// Source: the byte encoder of GPT-2, which tokenizer.json files of type ByteLevel use.
#pragma once

#include <string>
#include <string_view>

namespace glint::text {

// Appends to `bytes` what `spelled` (UTF-8) stands for. False, and nothing appended, when a
// character of it is outside the alphabet.
bool AppendSpelledBytes(std::string_view spelled, std::string& bytes);

// The other way.
std::string SpellBytes(std::string_view bytes);

}  // namespace glint::text
