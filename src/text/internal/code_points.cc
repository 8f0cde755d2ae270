// SPDX-License-Identifier: Apache-2.0
#include "text/internal/code_points.h"

#include <algorithm>

#include "base/format.h"
#include "base/utf8.h"

namespace glint::text {
namespace {

constexpr std::uint32_t kLast = 0x10FFFF;
constexpr std::uint32_t kFirstSurrogate = 0xD800;
constexpr std::uint32_t kLastSurrogate = 0xDFFF;

// Code points with the same number of bytes in UTF-8.
constexpr CodePointRange kByLength[] = {
    {0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, kLast}};

std::vector<CodePointRange> ComplementOf(const std::vector<CodePointRange>& ranges) {
  std::vector<CodePointRange> result;
  result.reserve(ranges.size() + 1);
  std::uint32_t next = 0;
  for (const CodePointRange& range : ranges) {
    if (range.low > next) result.push_back({next, range.low - 1});
    next = range.high + 1;
  }
  if (next <= kLast) result.push_back({next, kLast});
  return result;
}

// Splits a range of code points of one length until each part is a product of byte ranges: below
// a byte that is not the same at both ends, the further bytes must take all their values.
void SplitSequences(CodePointRange range, std::vector<std::vector<ByteRange>>& out) {
  std::string low;
  std::string high;
  AppendUtf8(range.low, low);
  AppendUtf8(range.high, high);
  for (std::size_t tail = 1; tail < low.size(); ++tail) {
    const std::uint32_t mask = (std::uint32_t{1} << (6 * tail)) - 1;
    if ((range.low & ~mask) == (range.high & ~mask)) continue;
    if ((range.low & mask) != 0) {
      SplitSequences({range.low, range.low | mask}, out);
      SplitSequences({(range.low | mask) + 1, range.high}, out);
      return;
    }
    if ((range.high & mask) != mask) {
      SplitSequences({range.low, (range.high & ~mask) - 1}, out);
      SplitSequences({range.high & ~mask, range.high}, out);
      return;
    }
  }
  std::vector<ByteRange> bytes;
  bytes.reserve(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    bytes.push_back({static_cast<std::uint8_t>(low[i]), static_cast<std::uint8_t>(high[i])});
  }
  out.push_back(std::move(bytes));
}

}  // namespace

CodePointSet::CodePointSet(std::vector<CodePointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const CodePointRange& a, const CodePointRange& b) { return a.low < b.low; });
  for (CodePointRange range : ranges) {
    range.high = std::min(range.high, kLast);
    CodePointRange parts[] = {{range.low, std::min(range.high, kFirstSurrogate - 1)},
                              {std::max(range.low, kLastSurrogate + 1), range.high}};
    for (const CodePointRange& part : parts) {
      if (part.low > part.high) continue;
      if (!ranges_.empty() && part.low <= ranges_.back().high + 1) {
        ranges_.back().high = std::max(ranges_.back().high, part.high);
      } else {
        ranges_.push_back(part);
      }
    }
  }
}

CodePointSet CodePointSet::All() { return CodePointSet({{0, kLast}}); }

bool CodePointSet::Contains(std::uint32_t code_point) const {
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), code_point,
      [](std::uint32_t value, const CodePointRange& range) { return value < range.low; });
  return after != ranges_.begin() && code_point <= std::prev(after)->high;
}

CodePointSet CodePointSet::Complement() const { return CodePointSet(ComplementOf(ranges_)); }

CodePointSet CodePointSet::Union(const CodePointSet& other) const {
  std::vector<CodePointRange> both = ranges_;
  both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
  return CodePointSet(std::move(both));
}

CodePointSet CodePointSet::Minus(const CodePointSet& other) const {
  return Complement().Union(other).Complement();
}

std::vector<std::vector<ByteRange>> Utf8Sequences(CodePointRange range) {
  std::vector<std::vector<ByteRange>> result;
  for (const CodePointRange& length : kByLength) {
    const CodePointRange part = {std::max(range.low, length.low),
                                 std::min(range.high, length.high)};
    if (part.low <= part.high) SplitSequences(part, result);
  }
  return result;
}

void AppendUtf8(std::uint32_t code_point, std::string& text) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xC0U | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    add(0xE0U | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    add(0xF0U | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string JsonEscape(std::uint32_t code_point) {
  switch (code_point) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code_point < 0x20 ? format("\\u{:04x}", code_point) : std::string();
  }
}

std::string SpellJson(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const std::string escape = JsonEscape(static_cast<std::uint8_t>(c));
    result += escape.empty() ? std::string(1, c) : escape;
  }
  return result + '"';
}

std::optional<std::uint32_t> TakeCodePoint(std::string_view& text) {
  const std::size_t length = Utf8SequenceLength(text);
  if (length == 0) return std::nullopt;
  constexpr std::uint32_t kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code_point = static_cast<std::uint8_t>(text[0]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6) | (static_cast<std::uint8_t>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length);
  return code_point;
}

}  // namespace glint::text
