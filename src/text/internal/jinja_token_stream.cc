// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_token_stream.h"

#include "base/format.h"

namespace glint::text::jinja {

Error TokenStream::Unexpected(std::string_view expected) const {
  return TemplateError(line(), format("expected {}, got {}", expected, Describe(current())));
}

Status TokenStream::ExpectOperator(std::string_view sign) {
  if (SkipOperator(sign)) return Ok();
  return Unexpected(format("'{}'", sign));
}

Status TokenStream::Expect(TokenKind kind, std::string_view what) {
  if (current().kind != kind) return Unexpected(what);
  Next();
  return Ok();
}

Result<std::string> TokenStream::ExpectName() {
  if (current().kind != TokenKind::kName) return Unexpected("a name");
  return Next().text;
}

}  // namespace glint::text::jinja
