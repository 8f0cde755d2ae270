// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_python_text.h"

#include <algorithm>

#include "text/internal/jinja_unicode_tables.h"

namespace glint::text::jinja {
namespace {

bool InRanges(std::span<const CodeRange> ranges, char32_t code) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code,
                       [](char32_t value, const CodeRange& range) { return value < range.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t LengthFromFirstByte(char byte) {
  const auto first = static_cast<unsigned char>(byte);
  if (first < 0xC0) return 1;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

// The code point of one whole sequence.
char32_t DecodeOne(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  const unsigned bits = sequence.size() == 2 ? 0x1FU : sequence.size() == 3 ? 0x0FU : 0x07U;
  char32_t code = first & bits;
  for (const char byte : sequence.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

// What the case map makes of a code point, appended.
void AppendMapped(const CaseMap& map, char32_t code, std::string& out) {
  const auto special =
      std::lower_bound(map.strings.begin(), map.strings.end(), code,
                       [](const CaseString& row, char32_t value) { return row.from < value; });
  if (special != map.strings.end() && special->from == code) {
    out += special->to;
    return;
  }
  const auto after =
      std::upper_bound(map.ranges.begin(), map.ranges.end(), code,
                       [](char32_t value, const CaseRange& range) { return value < range.first; });
  if (after != map.ranges.begin()) {
    const CaseRange& range = *std::prev(after);
    if (code <= range.last && (code - range.first) % range.stride == 0) {
      code = static_cast<char32_t>(static_cast<std::int64_t>(code) + range.delta);
    }
  }
  AppendUtf8(code, out);
}

bool IsCased(char32_t code) {
  return InRanges(LowerRanges(), code) || InRanges(UpperRanges(), code) ||
         InRanges(TitleRanges(), code);
}

constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kFinalSigma = 0x3C2;

// A capital sigma ends its word when a cased letter is before it and none is after it, where
// case-ignorable ones are skipped (Unicode 3.13, Final_Sigma).
bool IsFinalSigma(std::u32string_view codes, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && InRanges(CaseIgnorableRanges(), codes[before - 1])) --before;
  if (before == 0 || !IsCased(codes[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < codes.size() && InRanges(CaseIgnorableRanges(), codes[after])) ++after;
  return after == codes.size() || !IsCased(codes[after]);
}

void AppendLower(std::u32string_view codes, std::size_t at, std::string& out) {
  if (codes[at] == kCapitalSigma && IsFinalSigma(codes, at)) {
    AppendUtf8(kFinalSigma, out);
  } else {
    AppendMapped(LowerMap(), codes[at], out);
  }
}

// Bytes of the line end at the start of `text`, 0 when there is none.
std::size_t LineEndLength(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  const char32_t code = FirstCodePoint(text);
  const bool ends = (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) ||
                    code == 0x85 || code == 0x2028 || code == 0x2029;
  return ends ? LengthFromFirstByte(text[0]) : 0;
}

template <typename Strips>
std::string_view StripWhile(std::string_view text, Side side, const Strips& strips) {
  if (side != Side::kRight) {
    while (!text.empty() && strips(FirstCodePoint(text))) {
      text.remove_prefix(LengthFromFirstByte(text[0]));
    }
  }
  if (side != Side::kLeft) {
    while (!text.empty() && strips(LastCodePoint(text))) {
      std::size_t length = 1;
      while (IsContinuation(text[text.size() - length])) ++length;
      text.remove_suffix(length);
    }
  }
  return text;
}

bool CodeIsOfClass(char32_t code, TextClass text_class) {
  switch (text_class) {
    case TextClass::kAlpha:
      return InRanges(AlphaRanges(), code);
    case TextClass::kAlnum:
      return InRanges(AlphaRanges(), code) || InRanges(DecimalRanges(), code) ||
             InRanges(DigitRanges(), code) || InRanges(NumericRanges(), code);
    case TextClass::kDecimal:
      return InRanges(DecimalRanges(), code);
    case TextClass::kDigit:
      return InRanges(DigitRanges(), code);
    case TextClass::kNumeric:
      return InRanges(NumericRanges(), code);
    case TextClass::kSpace:
      return IsSpace(code);
    case TextClass::kLower:
      return InRanges(LowerRanges(), code);
    case TextClass::kUpper:
      return InRanges(UpperRanges(), code);
  }
  return false;
}

}  // namespace

std::u32string Decode(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  while (!text.empty()) {
    codes.push_back(FirstCodePoint(text));
    text.remove_prefix(LengthFromFirstByte(text[0]));
  }
  return codes;
}

void AppendUtf8(char32_t code, std::string& out) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

std::string Encode(std::u32string_view codes) {
  std::string out;
  out.reserve(codes.size());
  for (const char32_t code : codes) AppendUtf8(code, out);
  return out;
}

std::int64_t CountCodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return !IsContinuation(byte); });
}

std::size_t BytePosition(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += LengthFromFirstByte(text[at]);
  return std::min(at, text.size());
}

std::vector<std::string_view> CodePoints(std::string_view text) {
  std::vector<std::string_view> parts;
  parts.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::min(LengthFromFirstByte(text[0]), text.size());
    parts.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return parts;
}

bool IsSpace(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool IsPrintable(char32_t code) {
  if (code < 0x7F) return code >= 0x20;
  return InRanges(PrintableRanges(), code);
}

char32_t FirstCodePoint(std::string_view text) {
  return DecodeOne(text.substr(0, LengthFromFirstByte(text[0])));
}

char32_t LastCodePoint(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && IsContinuation(text[text.size() - length])) ++length;
  return DecodeOne(text.substr(text.size() - length));
}

std::string_view Strip(std::string_view text, Side side) { return StripWhile(text, side, IsSpace); }

std::string_view StripSet(std::string_view text, std::string_view set, Side side) {
  const std::u32string codes = Decode(set);
  return StripWhile(text, side,
                    [&](char32_t code) { return codes.find(code) != std::u32string::npos; });
}

std::vector<std::string_view> SplitLines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  std::size_t start = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = LineEndLength(text.substr(at));
    if (end == 0) {
      at += LengthFromFirstByte(text[at]);
      continue;
    }
    lines.push_back(text.substr(start, at - start + (keep_ends ? end : 0)));
    at += end;
    start = at;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return lines;
}

std::vector<std::string_view> SplitSpace(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> pieces;
  text = Strip(text, Side::kLeft);
  while (!text.empty()) {
    if (most >= 0 && static_cast<std::int64_t>(pieces.size()) >= most) {
      pieces.push_back(text);
      break;
    }
    std::size_t at = 0;
    while (at < text.size() && !IsSpace(FirstCodePoint(text.substr(at)))) {
      at += LengthFromFirstByte(text[at]);
    }
    pieces.push_back(text.substr(0, at));
    text = Strip(text.substr(at), Side::kLeft);
  }
  return pieces;
}

std::string Upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t code : Decode(text)) AppendMapped(UpperMap(), code, out);
  return out;
}

std::string Lower(std::string_view text) {
  const std::u32string codes = Decode(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < codes.size(); ++at) AppendLower(codes, at, out);
  return out;
}

std::string Title(std::string_view text) {
  const std::u32string codes = Decode(text);
  std::string out;
  out.reserve(text.size());
  bool within_word = false;
  for (std::size_t at = 0; at < codes.size(); ++at) {
    if (within_word) {
      AppendLower(codes, at, out);
    } else {
      AppendMapped(TitleMap(), codes[at], out);
    }
    within_word = IsCased(codes[at]);
  }
  return out;
}

std::string Capitalize(std::string_view text) {
  const std::u32string codes = Decode(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < codes.size(); ++at) {
    if (at == 0) {
      AppendMapped(TitleMap(), codes[at], out);
    } else {
      AppendLower(codes, at, out);
    }
  }
  return out;
}

bool IsOfClass(std::string_view text, TextClass text_class) {
  if (text.empty()) return false;
  const std::u32string codes = Decode(text);
  if (text_class != TextClass::kLower && text_class != TextClass::kUpper) {
    return std::all_of(codes.begin(), codes.end(),
                       [&](char32_t code) { return CodeIsOfClass(code, text_class); });
  }
  // Some letter of the case and none of another.
  const auto is_case = [&](char32_t code) { return CodeIsOfClass(code, text_class); };
  return std::any_of(codes.begin(), codes.end(), is_case) &&
         std::none_of(codes.begin(), codes.end(),
                      [&](char32_t code) { return IsCased(code) && !is_case(code); });
}

}  // namespace glint::text::jinja
