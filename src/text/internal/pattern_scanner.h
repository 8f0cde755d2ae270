// SPDX-License-Identifier: Apache-2.0
// What regular expressions and EBNF have in common: characters, escapes, classes, counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/internal/code_points.h"

namespace glint::text {

// At most that often may a part be repeated by number.
inline constexpr std::int32_t kMaxRepeat = 1'000;

// Reads UTF-8 from front to back. Messages of errors give the byte position.
class PatternScanner {
 public:
  explicit PatternScanner(std::string_view text) : text_(text), rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  // The next byte, or NUL at the end.
  [[nodiscard]] char Peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  // Takes `prefix` if the rest begins with it.
  bool Skip(std::string_view prefix);
  void Drop(std::size_t bytes) { rest_.remove_prefix(bytes); }

  // The next character.
  Result<std::uint32_t> Take();

  // A set behind a backslash, which was taken: one character or a class such as \d.
  struct Escape {
    CodePointSet set;
    std::optional<std::uint32_t> single;
  };
  Result<Escape> TakeEscape();

  // A class behind its bracket, up to the closing one.
  Result<CodePointSet> TakeClass();

  // Repetition behind a part: `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`. Nothing when there is none.
  struct Count {
    std::int32_t at_least = 0;
    std::int32_t at_most = -1;  // -1: no limit
  };
  Result<std::optional<Count>> TakeCount();

  [[nodiscard]] Error ErrorHere(std::string_view what) const;

 private:
  Result<std::uint32_t> TakeHex(int digits);
  Result<std::uint32_t> TakeUnicode();
  Result<Escape> TakeClassItem();
  Result<std::optional<std::int32_t>> TakeNumber();

  std::string_view text_;
  std::string_view rest_;
};

// `.` of a regular expression: all but line ends.
const CodePointSet& NotLineEnd();

}  // namespace glint::text
