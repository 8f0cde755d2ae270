// SPDX-License-Identifier: Apache-2.0
// The tokens of a template with a place in them, as both halves of the parser walk them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "text/internal/jinja_lexer.h"

namespace glint::text::jinja {

class TokenStream {
 public:
  // The last token is kEnd.
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& Ahead() const {
    return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_];
  }
  [[nodiscard]] int line() const { return current().line; }

  // Returns the current token and goes past it; stays at the end.
  const Token& Next() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool SkipOperator(std::string_view sign) {
    const bool found = current().IsOperator(sign);
    if (found) Next();
    return found;
  }
  bool SkipName(std::string_view name) {
    const bool found = current().IsName(name);
    if (found) Next();
    return found;
  }
  Status ExpectOperator(std::string_view sign);
  Status Expect(TokenKind kind, std::string_view what);
  // The text of the name that must come next.
  Result<std::string> ExpectName();
  // "expected X, got Y".
  [[nodiscard]] Error Unexpected(std::string_view expected) const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace glint::text::jinja
