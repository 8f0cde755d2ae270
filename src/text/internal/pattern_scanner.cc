// SPDX-License-Identifier: Apache-2.0
#include "text/internal/pattern_scanner.h"

#include <utility>
#include <vector>

#include "base/format.h"

namespace glint::text {
namespace {

const CodePointSet& DigitSet() {
  static const CodePointSet set({{'0', '9'}});
  return set;
}

const CodePointSet& WordSet() {
  static const CodePointSet set({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
  return set;
}

// White space and line ends of ECMA-262.
const CodePointSet& SpaceSet() {
  static const CodePointSet set({{'\t', '\r'},
                                 {' ', ' '},
                                 {0xA0, 0xA0},
                                 {0x1680, 0x1680},
                                 {0x2000, 0x200A},
                                 {0x2028, 0x2029},
                                 {0x202F, 0x202F},
                                 {0x205F, 0x205F},
                                 {0x3000, 0x3000},
                                 {0xFEFF, 0xFEFF}});
  return set;
}

std::optional<CodePointSet> NamedSet(char name) {
  switch (name) {
    case 'd':
      return DigitSet();
    case 'D':
      return DigitSet().Complement();
    case 'w':
      return WordSet();
    case 'W':
      return WordSet().Complement();
    case 's':
      return SpaceSet();
    case 'S':
      return SpaceSet().Complement();
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> ControlCharacter(char name) {
  switch (name) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '0':
      return 0;
    default:
      return std::nullopt;
  }
}

bool IsAlphanumeric(std::uint32_t c) { return c < 0x80 && c != '_' && WordSet().Contains(c); }

PatternScanner::Escape Single(std::uint32_t code_point) {
  return {CodePointSet({{code_point, code_point}}), code_point};
}

}  // namespace

const CodePointSet& NotLineEnd() {
  static const CodePointSet set =
      CodePointSet({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}).Complement();
  return set;
}

Error PatternScanner::ErrorHere(std::string_view what) const {
  return InvalidArgument(format("{} at byte {}", what, text_.size() - rest_.size()));
}

bool PatternScanner::Skip(std::string_view prefix) {
  if (!rest_.starts_with(prefix)) return false;
  rest_.remove_prefix(prefix.size());
  return true;
}

Result<std::uint32_t> PatternScanner::Take() {
  if (done()) return ErrorHere("the pattern ends too early");
  const auto code_point = TakeCodePoint(rest_);
  if (!code_point) return ErrorHere("invalid UTF-8");
  return *code_point;
}

Result<PatternScanner::Escape> PatternScanner::TakeEscape() {
  const char name = Peek();
  if (auto set = NamedSet(name)) {
    Drop(1);
    return Escape{*std::move(set), std::nullopt};
  }
  if (name == '0' && rest_.size() > 1 && DigitSet().Contains(static_cast<std::uint8_t>(rest_[1]))) {
    return ErrorHere("octal escapes are not supported");
  }
  if (const auto control = ControlCharacter(name); control && !done()) {
    Drop(1);
    return Single(*control);
  }
  if (name == 'x' || name == 'u' || name == 'U') {
    Drop(1);
    GLINT_ASSIGN(const std::uint32_t code_point, name == 'x'   ? TakeHex(2)
                                                 : name == 'U' ? TakeHex(8)
                                                               : TakeUnicode());
    return Single(code_point);
  }
  if (name == 'b' || name == 'B') return ErrorHere("word boundaries are not supported");
  if (name == 'p' || name == 'P') return ErrorHere("Unicode properties are not supported");
  if (name == 'k' || (name >= '1' && name <= '9')) {
    return ErrorHere("back references are not supported");
  }
  GLINT_ASSIGN(const std::uint32_t c, Take());
  if (IsAlphanumeric(c)) return ErrorHere(format("unknown escape \\{}", static_cast<char>(c)));
  return Single(c);
}

Result<CodePointSet> PatternScanner::TakeClass() {
  const bool negated = Skip("^");
  std::vector<CodePointRange> ranges;
  while (!Skip("]")) {
    if (Peek() == '[' && rest_.starts_with("[:")) return ErrorHere("[: :] is not supported");
    GLINT_ASSIGN(const Escape low, TakeClassItem());
    if (!low.single || Peek() != '-' || rest_.starts_with("-]")) {
      ranges.insert(ranges.end(), low.set.ranges().begin(), low.set.ranges().end());
      continue;
    }
    Drop(1);
    GLINT_ASSIGN(const Escape high, TakeClassItem());
    if (!high.single || *high.single < *low.single) return ErrorHere("a range out of order");
    ranges.push_back({*low.single, *high.single});
  }
  const CodePointSet set(std::move(ranges));
  return negated ? set.Complement() : set;
}

Result<PatternScanner::Escape> PatternScanner::TakeClassItem() {
  if (Skip("\\")) {
    if (Skip("b")) return Single('\b');
    return TakeEscape();
  }
  GLINT_ASSIGN(const std::uint32_t c, Take());
  return Single(c);
}

Result<std::optional<PatternScanner::Count>> PatternScanner::TakeCount() {
  if (Skip("*")) return std::optional(Count{0, -1});
  if (Skip("+")) return std::optional(Count{1, -1});
  if (Skip("?")) return std::optional(Count{0, 1});
  if (Peek() != '{') return std::optional<Count>();
  Drop(1);
  Count count;
  GLINT_ASSIGN(const auto least, TakeNumber());
  const bool comma = Skip(",");
  if (!least) return ErrorHere("a count was expected behind {");
  count.at_least = *least;
  count.at_most = *least;
  if (comma) {
    GLINT_ASSIGN(const auto most, TakeNumber());
    count.at_most = most.value_or(-1);
  }
  if (!Skip("}")) return ErrorHere("a count without its }");
  if (count.at_most >= 0 && count.at_most < count.at_least) {
    return ErrorHere("a count whose most is below its least");
  }
  return std::optional(count);
}

Result<std::optional<std::int32_t>> PatternScanner::TakeNumber() {
  std::optional<std::int32_t> number;
  while (Peek() >= '0' && Peek() <= '9') {
    number = number.value_or(0) * 10 + (Peek() - '0');
    if (*number > kMaxRepeat) return ErrorHere(format("a count above {}", kMaxRepeat));
    Drop(1);
  }
  return number;
}

Result<std::uint32_t> PatternScanner::TakeHex(int digits) {
  std::uint32_t value = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = Peek();
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<std::uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      value = value * 16 + static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return ErrorHere("a hexadecimal digit was expected");
    }
    Drop(1);
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return ErrorHere("an escape that is no character");
  }
  return value;
}

// \u with four digits, two of them for a pair of surrogates, or any number in braces.
Result<std::uint32_t> PatternScanner::TakeUnicode() {
  if (Skip("{")) {
    std::uint32_t value = 0;
    while (!Skip("}")) {
      GLINT_ASSIGN(const std::uint32_t digit, TakeHex(1));
      value = value * 16 + digit;
      if (value > 0x10FFFF) return ErrorHere("an escape that is no character");
    }
    return value;
  }
  const auto unit = [this](std::size_t at) -> std::uint32_t {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      if (i >= rest_.size()) return 0;
      const char c = rest_[i];
      const bool digit = c >= '0' && c <= '9';
      const char lower = static_cast<char>(c | 0x20);
      if (!digit && (lower < 'a' || lower > 'f')) return 0;
      value = value * 16 + static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
    }
    return value;
  };
  const std::uint32_t high = unit(0);
  if (high >= 0xD800 && high <= 0xDBFF && rest_.substr(4).starts_with("\\u")) {
    const std::uint32_t low = unit(6);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      Drop(10);
      return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }
  }
  return TakeHex(4);
}

}  // namespace glint::text
