// SPDX-License-Identifier: Apache-2.0
#include "text/internal/argument_writer.h"

#include <utility>

#include "base/json.h"

namespace glint::text {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// The text as it stands between the quotation marks of a JSON string.
std::string Escaped(std::string_view text) {
  const std::string quoted = Json(text).Write();
  return quoted.substr(1, quoted.size() - 2);
}

bool MayBecomeNull(std::string_view text) {
  constexpr std::string_view kNull = "null";
  const std::string_view trimmed = Trimmed(text);
  // Once there is white space behind it, a part of the word cannot grow any more.
  const bool open = text.empty() || kSpaces.find(text.back()) == std::string_view::npos;
  return trimmed.empty() || trimmed == kNull || (open && kNull.starts_with(trimmed));
}

}  // namespace

std::string ArgumentWriter::Push(std::string_view text) {
  if (!strip_newlines_) return Write(text);
  if (text.empty()) return {};
  if (std::exchange(at_start_, false) && text.starts_with('\n')) text.remove_prefix(1);
  if (text.empty()) return {};
  std::string_view newline = newline_waits_ ? "\n" : "";
  newline_waits_ = text.ends_with('\n');
  if (newline_waits_) text.remove_suffix(1);
  std::string out = Write(newline);
  return out + Write(text);
}

std::string ArgumentWriter::Write(std::string_view text) {
  if (quoted_) return Escaped(text);
  waiting_ += text;
  if (type_ == ArgumentType::kJson) return {};
  if (type_ == ArgumentType::kStringOrNull && MayBecomeNull(waiting_)) return {};
  quoted_ = true;
  return '"' + Escaped(std::exchange(waiting_, {}));
}

std::string ArgumentWriter::Finish() {
  if (quoted_) return "\"";
  const std::string_view trimmed = Trimmed(waiting_);
  if (type_ == ArgumentType::kStringOrNull && trimmed == "null") return "null";
  if (type_ == ArgumentType::kJson && !trimmed.empty() && ParseJson(trimmed, "argument").ok()) {
    return std::string(trimmed);
  }
  return Json(waiting_).Write();
}

}  // namespace glint::text
