// SPDX-License-Identifier: Apache-2.0
// A template cut into tokens, with all white-space rules applied: trim_blocks and lstrip_blocks on,
// keep_trailing_newline off, the signs - and + at the delimiters, raw blocks, comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::text::jinja {

enum class TokenKind : std::uint8_t {
  kData,           // text outside of {{ }} and {% %}
  kVariableBegin,  // {{
  kVariableEnd,    // }}
  kBlockBegin,     // {%
  kBlockEnd,       // %}
  kName,
  kInteger,
  kReal,
  kString,
  kOperator,
  kEnd,  // of the template
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of a string, with its escapes resolved; of a number, without underscores
  int line = 1;

  [[nodiscard]] bool IsOperator(std::string_view sign) const {
    return kind == TokenKind::kOperator && text == sign;
  }
  [[nodiscard]] bool IsName(std::string_view name) const {
    return kind == TokenKind::kName && text == name;
  }
};

// What a token is called in a message: "'%}'", "name 'foo'", "end of template".
std::string Describe(const Token& token);

// An error of a template, as each step of reading it gives them: "line 3: ...".
Error TemplateError(int line, std::string_view message);

// The tokens of `source` (valid UTF-8), the last of them kEnd.
Result<std::vector<Token>> Tokenize(std::string_view source);

}  // namespace glint::text::jinja
