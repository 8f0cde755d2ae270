// SPDX-License-Identifier: Apache-2.0
// Expressions: the inside of {{ }} and the operands of tags, with jinja2's precedence and quirks
// (`-2 ** 2` is 4, filters bind tighter than operators, a test takes its argument without
// brackets).
#pragma once

#include "text/internal/jinja_nodes.h"
#include "text/internal/jinja_token_stream.h"

namespace glint::text::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  struct TupleOptions {
    bool conditional = true;    // `a if b` may stand in it
    std::string_view end = {};  // a name that ends it, besides the end of the tag
  };
  // One expression, or several with commas between them: a tuple.
  Result<ExpressionPtr> ParseTuple(TupleOptions options);
  Result<ExpressionPtr> ParseExpression(bool conditional = true);
  // What `set` and `for` assign to: names, attributes of namespaces where `with_attributes`, and
  // tuples of those. `end` ends it.
  Result<ExpressionPtr> ParseTarget(bool with_attributes, std::string_view end);
  // A name alone.
  Result<ExpressionPtr> ParseNameTarget();
  // "name|filter..." of a block: filters whose innermost operand is null.
  Result<ExpressionPtr> ParseBlockFilter();

 private:
  using Rule = Result<ExpressionPtr> (ExpressionParser::*)();
  Result<ExpressionPtr> ParseConditional();
  Result<ExpressionPtr> ParseOr();
  Result<ExpressionPtr> ParseAnd();
  Result<ExpressionPtr> ParseNot();
  Result<ExpressionPtr> ParseCompare();
  Result<ExpressionPtr> ParseSum();
  Result<ExpressionPtr> ParseConcat();
  Result<ExpressionPtr> ParseProduct();
  Result<ExpressionPtr> ParsePower();
  Result<ExpressionPtr> ParseUnary(bool with_filter);
  Result<ExpressionPtr> ParsePrimary();
  Result<ExpressionPtr> ParseNumber();
  Result<ExpressionPtr> ParseString();
  Result<ExpressionPtr> ParseBrackets();
  Result<ExpressionPtr> ParseList();
  Result<ExpressionPtr> ParseDict();
  Result<ExpressionPtr> ParsePostfix(ExpressionPtr base);
  Result<ExpressionPtr> ParseFilters(ExpressionPtr base);
  Result<ExpressionPtr> ParseFilter(ExpressionPtr base);
  Result<ExpressionPtr> ParseTest(ExpressionPtr base);
  Result<ExpressionPtr> ParseDot(ExpressionPtr base);
  Result<ExpressionPtr> ParseSubscript(ExpressionPtr base);
  Result<ExpressionPtr> ParseSlice(ExpressionPtr base, ExpressionPtr start);
  Result<ExpressionPtr> ParseCall(ExpressionPtr base);
  Status ParseArguments(Expression& call);
  bool SkipComparison(Comparison& found);
  [[nodiscard]] bool AtTupleEnd(std::string_view end) const;

  TokenStream& tokens_;
  int nesting_ = 0;
};

}  // namespace glint::text::jinja
