// SPDX-License-Identifier: Apache-2.0
// What Python's str says of a code point: tables made by tools/unicode_tables.py.
// jinja_python_text.h looks them up.
#pragma once

#include <cstdint>
#include <span>

namespace glint::text::jinja {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// first, first + stride, ... last map to themselves plus delta.
struct CaseRange {
  char32_t first;
  char32_t last;
  std::uint32_t stride;
  std::int32_t delta;
};

// A code point whose other case is several.
struct CaseString {
  char32_t from;
  const char* to;  // UTF-8
};

struct CaseMap {
  std::span<const CaseRange> ranges;  // ascending, apart
  std::span<const CaseString> strings;
};

// All ascending.
std::span<const CodeRange> PrintableRanges();
std::span<const CodeRange> AlphaRanges();
std::span<const CodeRange> DecimalRanges();
std::span<const CodeRange> DigitRanges();
std::span<const CodeRange> NumericRanges();
std::span<const CodeRange> LowerRanges();
std::span<const CodeRange> UpperRanges();
std::span<const CodeRange> TitleRanges();
std::span<const CodeRange> CaseIgnorableRanges();
CaseMap UpperMap();
CaseMap LowerMap();
CaseMap TitleMap();

}  // namespace glint::text::jinja
