// SPDX-License-Identifier: Apache-2.0
// Sets of Unicode code points, and the bytes that spell them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glint::text {

struct CodePointRange {
  std::uint32_t low = 0;
  std::uint32_t high = 0;  // included
};

// Ranges in ascending order that neither touch nor overlap; never a surrogate.
class CodePointSet {
 public:
  CodePointSet() = default;
  // Any ranges, in any order. What lies above U+10FFFF and the surrogates are left out.
  explicit CodePointSet(std::vector<CodePointRange> ranges);

  static CodePointSet All();

  [[nodiscard]] const std::vector<CodePointRange>& ranges() const { return ranges_; }
  [[nodiscard]] bool Contains(std::uint32_t code_point) const;
  [[nodiscard]] CodePointSet Complement() const;
  [[nodiscard]] CodePointSet Union(const CodePointSet& other) const;
  [[nodiscard]] CodePointSet Minus(const CodePointSet& other) const;

 private:
  std::vector<CodePointRange> ranges_;
};

struct ByteRange {
  std::uint8_t low = 0;
  std::uint8_t high = 0;  // included
};

// The UTF-8 of a range of code points without surrogates, as sequences of byte ranges whose
// products are disjoint.
std::vector<std::vector<ByteRange>> Utf8Sequences(CodePointRange range);

// Appends a code point, which is no surrogate, as UTF-8.
void AppendUtf8(std::uint32_t code_point, std::string& text);

// The one escape that JSON text of ours has for a character; empty: the character itself.
std::string JsonEscape(std::uint32_t code_point);
// Well-formed UTF-8 as a JSON string, quotes included.
std::string SpellJson(std::string_view text);

// Takes the first code point off well-formed UTF-8. Empty text gives nothing.
std::optional<std::uint32_t> TakeCodePoint(std::string_view& text);

}  // namespace glint::text
