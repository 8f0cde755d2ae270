// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_string_literal.h"

#include <charconv>

#include "base/format.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

// Appends the code point of \x, \u or \U, whose digits start at `at`; returns their count.
Result<std::size_t> AppendHex(std::string_view literal, std::size_t at, char kind,
                              std::string& out) {
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  const std::string_view text = literal.substr(at, digits);
  std::uint32_t code = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), code, 16);
  if (text.size() < digits || failure != std::errc() || stop != text.data() + text.size()) {
    return InvalidArgument(format("the escape \\{}{} is cut", kind, Quoted(text)));
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return InvalidArgument(format("the escape \\{}{} is no character", kind, text));
  }
  AppendUtf8(code, out);
  return digits;
}

// Appends the code point of up to three octal digits at `at`; returns their count.
std::size_t AppendOctal(std::string_view literal, std::size_t at, std::string& out) {
  char32_t code = 0;
  std::size_t count = 0;
  while (count < 3 && at + count < literal.size() && literal[at + count] >= '0' &&
         literal[at + count] <= '7') {
    code = code * 8 + static_cast<char32_t>(literal[at + count] - '0');
    ++count;
  }
  AppendUtf8(code, out);
  return count;
}

}  // namespace

Result<std::string> ResolveEscapes(std::string_view literal) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  std::string out;
  out.reserve(literal.size());
  for (std::size_t at = 0; at < literal.size(); ++at) {
    if (literal[at] != '\\') {
      out += literal[at];
      continue;
    }
    const char kind = literal[++at];  // the lexer lets no backslash end a literal
    if (const std::size_t found = kLetters.find(kind); found != std::string_view::npos) {
      out += kMeanings[found];
    } else if (kind == 'x' || kind == 'u' || kind == 'U') {
      GLINT_ASSIGN(const std::size_t digits, AppendHex(literal, at + 1, kind, out));
      at += digits;
    } else if (kind >= '0' && kind <= '7') {
      at += AppendOctal(literal, at, out) - 1;
    } else if (kind == 'N') {
      return InvalidArgument("the escape \\N{...} is not supported");
    } else if (kind != '\n') {
      out += '\\';
      out += kind;
    }
  }
  return out;
}

}  // namespace glint::text::jinja
