// SPDX-License-Identifier: Apache-2.0
// Strings as Python's str has them: code points, white space, case. Texts are UTF-8 and valid; what
// comes out is too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glint::text::jinja {

std::u32string Decode(std::string_view text);
void AppendUtf8(char32_t code, std::string& out);
std::string Encode(std::u32string_view codes);

// Code points in `text`.
std::int64_t CountCodePoints(std::string_view text);
// Byte position of code point `index`, or text.size() when there are fewer.
std::size_t BytePosition(std::string_view text, std::int64_t index);
// Each code point by itself.
std::vector<std::string_view> CodePoints(std::string_view text);

// As str.isspace(), which is also \s of Python's re.
bool IsSpace(char32_t code);
bool IsPrintable(char32_t code);
// The code point that `text`, not empty, starts or ends with.
char32_t FirstCodePoint(std::string_view text);
char32_t LastCodePoint(std::string_view text);

enum class Side : std::uint8_t { kLeft, kRight, kBoth };
// Without white space at its ends.
std::string_view Strip(std::string_view text, Side side = Side::kBoth);
// Without code points of `set` at its ends.
std::string_view StripSet(std::string_view text, std::string_view set, Side side = Side::kBoth);

// As str.splitlines(): many kinds of line ends, and none at the end gives no empty line.
std::vector<std::string_view> SplitLines(std::string_view text, bool keep_ends = false);
// Pieces between white space, none of them empty; after `most` pieces the rest is one (-1: no
// limit).
std::vector<std::string_view> SplitSpace(std::string_view text, std::int64_t most);

std::string Upper(std::string_view text);
std::string Lower(std::string_view text);
std::string Title(std::string_view text);       // str.title()
std::string Capitalize(std::string_view text);  // str.capitalize()

enum class TextClass : std::uint8_t {
  kAlpha,
  kAlnum,
  kDecimal,
  kDigit,
  kNumeric,
  kSpace,
  kLower,
  kUpper,
};
// As str.isalpha() and so on: false for the empty text.
bool IsOfClass(std::string_view text, TextClass text_class);

}  // namespace glint::text::jinja
