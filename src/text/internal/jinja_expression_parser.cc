// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_expression_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/format.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_methods.h"
#include "text/internal/jinja_tests.h"

namespace glint::text::jinja {
namespace {

constexpr int kMaxNesting = 100;  // brackets and signs in one another

ExpressionPtr Make(ExpressionKind kind, int line) {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = line;
  return expression;
}

ExpressionPtr Make(ExpressionKind kind, int line, ExpressionPtr operand) {
  ExpressionPtr expression = Make(kind, line);
  expression->operands.push_back(std::move(operand));
  return expression;
}

ExpressionPtr Make(ExpressionKind kind, int line, ExpressionPtr left, ExpressionPtr right) {
  ExpressionPtr expression = Make(kind, line, std::move(left));
  expression->operands.push_back(std::move(right));
  return expression;
}

ExpressionPtr MakeConstant(int line, Value value) {
  ExpressionPtr expression = Make(ExpressionKind::kConstant, line);
  expression->constant = std::move(value);
  return expression;
}

// The expression once it is whole: measures its depth.
Result<ExpressionPtr> Finish(ExpressionPtr expression) {
  const auto measure = [&](const ExpressionPtr& part) {
    if (part != nullptr) expression->depth = std::max(expression->depth, part->depth + 1);
  };
  for (const ExpressionPtr& operand : expression->operands) measure(operand);
  for (const auto& [name, value] : expression->keywords) measure(value);
  if (expression->depth > kMaxTreeDepth) {
    return TemplateError(expression->line,
                         format("an expression is nested deeper than {} levels", kMaxTreeDepth));
  }
  return expression;
}

const std::string* ConstantString(const Expression& filter, std::size_t operand) {
  if (filter.operands.size() <= operand) return nullptr;
  const Expression& argument = *filter.operands[operand];
  return argument.kind == ExpressionKind::kConstant ? argument.constant.string() : nullptr;
}

// Filters and tests that are named by a string, as in map('trim'), are looked up while loading too.
Status CheckNamedOperation(const Expression& filter) {
  const bool by_attribute = filter.name == "selectattr" || filter.name == "rejectattr";
  const std::string* name = ConstantString(filter, by_attribute ? 2 : 1);
  if (name == nullptr) return Ok();
  if (filter.name == "map" && FindFilter(*name) == nullptr) {
    return TemplateError(filter.line, format("unknown filter {}", Quoted(*name)));
  }
  const bool takes_test = by_attribute || filter.name == "select" || filter.name == "reject";
  if (takes_test && FindTest(*name) == nullptr) {
    return TemplateError(filter.line, format("unknown test {}", Quoted(*name)));
  }
  return Ok();
}

bool IsConstantName(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"true", "false", "none",
                                                      "True", "False", "None"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

bool ExpressionParser::AtTupleEnd(std::string_view end) const {
  const Token& token = tokens_.current();
  return token.kind == TokenKind::kVariableEnd || token.kind == TokenKind::kBlockEnd ||
         token.IsOperator(")") || (!end.empty() && token.IsName(end));
}

Result<ExpressionPtr> ExpressionParser::ParseTuple(TupleOptions options) {
  ExpressionPtr tuple = Make(ExpressionKind::kTuple, tokens_.line());
  bool has_comma = false;
  while (!AtTupleEnd(options.end)) {
    GLINT_ASSIGN(ExpressionPtr item, ParseExpression(options.conditional));
    tuple->operands.push_back(std::move(item));
    if (!tokens_.SkipOperator(",")) break;
    has_comma = true;
  }
  if (has_comma) return Finish(std::move(tuple));
  if (tuple->operands.empty()) return tokens_.Unexpected("an expression");
  return std::move(tuple->operands[0]);
}

Result<ExpressionPtr> ExpressionParser::ParseExpression(bool conditional) {
  if (nesting_ >= kMaxNesting) {
    return TemplateError(tokens_.line(),
                         format("an expression is nested deeper than {} levels", kMaxNesting));
  }
  ++nesting_;
  auto parsed = conditional ? ParseConditional() : ParseOr();
  --nesting_;
  return parsed;
}

Result<ExpressionPtr> ExpressionParser::ParseTarget(bool with_attributes, std::string_view end) {
  ExpressionPtr tuple = Make(ExpressionKind::kTuple, tokens_.line());
  bool has_comma = false;
  while (!AtTupleEnd(end)) {
    ExpressionPtr item;
    if (tokens_.SkipOperator("(")) {
      if (++nesting_ > kMaxNesting) return tokens_.Unexpected("fewer brackets");
      GLINT_ASSIGN(item, ParseTarget(false, {}));
      --nesting_;
      GLINT_TRY(tokens_.ExpectOperator(")"));
    } else {
      GLINT_ASSIGN(item, ParseNameTarget());
      if (with_attributes && tokens_.SkipOperator(".")) {
        const int line = item->line;
        ExpressionPtr attribute = Make(ExpressionKind::kAttributeOf, line, std::move(item));
        GLINT_ASSIGN(attribute->name, tokens_.ExpectName());
        item = std::move(attribute);
      }
    }
    tuple->operands.push_back(std::move(item));
    if (!tokens_.SkipOperator(",")) break;
    has_comma = true;
  }
  if (has_comma) return Finish(std::move(tuple));
  if (tuple->operands.empty()) return tokens_.Unexpected("a name to assign to");
  return std::move(tuple->operands[0]);
}

Result<ExpressionPtr> ExpressionParser::ParseNameTarget() {
  ExpressionPtr name = Make(ExpressionKind::kName, tokens_.line());
  if (tokens_.current().kind != TokenKind::kName || IsConstantName(tokens_.current().text)) {
    return tokens_.Unexpected("a name to assign to");
  }
  name->name = tokens_.Next().text;
  return name;
}

Result<ExpressionPtr> ExpressionParser::ParseConditional() {
  const int line = tokens_.line();
  GLINT_ASSIGN(ExpressionPtr value, ParseOr());
  while (tokens_.SkipName("if")) {
    GLINT_ASSIGN(ExpressionPtr condition, ParseOr());
    ExpressionPtr choice =
        Make(ExpressionKind::kConditional, line, std::move(condition), std::move(value));
    choice->operands.emplace_back();
    if (tokens_.SkipName("else")) {
      GLINT_ASSIGN(choice->operands[2], ParseExpression());
    }
    GLINT_ASSIGN(value, Finish(std::move(choice)));
  }
  return value;
}

Result<ExpressionPtr> ExpressionParser::ParseOr() {
  GLINT_ASSIGN(ExpressionPtr left, ParseAnd());
  while (tokens_.current().IsName("or")) {
    const int line = tokens_.Next().line;
    GLINT_ASSIGN(ExpressionPtr right, ParseAnd());
    GLINT_ASSIGN(left, Finish(Make(ExpressionKind::kOr, line, std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> ExpressionParser::ParseAnd() {
  GLINT_ASSIGN(ExpressionPtr left, ParseNot());
  while (tokens_.current().IsName("and")) {
    const int line = tokens_.Next().line;
    GLINT_ASSIGN(ExpressionPtr right, ParseNot());
    GLINT_ASSIGN(left, Finish(Make(ExpressionKind::kAnd, line, std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> ExpressionParser::ParseNot() {
  const int line = tokens_.line();
  int count = 0;
  while (tokens_.SkipName("not")) ++count;
  GLINT_ASSIGN(ExpressionPtr value, ParseCompare());
  for (; count > 0; --count) {
    GLINT_ASSIGN(value, Finish(Make(ExpressionKind::kNot, line, std::move(value))));
  }
  return value;
}

bool ExpressionParser::SkipComparison(Comparison& found) {
  constexpr std::array<std::string_view, 6> kSigns = {"==", "!=", "<", "<=", ">", ">="};
  for (std::size_t i = 0; i < kSigns.size(); ++i) {
    if (tokens_.SkipOperator(kSigns[i])) {
      found = static_cast<Comparison>(i);
      return true;
    }
  }
  if (tokens_.SkipName("in")) {
    found = Comparison::kIn;
    return true;
  }
  if (tokens_.current().IsName("not") && tokens_.Ahead().IsName("in")) {
    tokens_.Next();
    tokens_.Next();
    found = Comparison::kNotIn;
    return true;
  }
  return false;
}

Result<ExpressionPtr> ExpressionParser::ParseCompare() {
  const int line = tokens_.line();
  GLINT_ASSIGN(ExpressionPtr first, ParseSum());
  ExpressionPtr compare = Make(ExpressionKind::kCompare, line, std::move(first));
  for (Comparison comparison{}; SkipComparison(comparison);) {
    compare->comparisons.push_back(comparison);
    GLINT_ASSIGN(ExpressionPtr operand, ParseSum());
    compare->operands.push_back(std::move(operand));
  }
  if (compare->comparisons.empty()) return std::move(compare->operands[0]);
  return Finish(std::move(compare));
}

Result<ExpressionPtr> ExpressionParser::ParseSum() {
  GLINT_ASSIGN(ExpressionPtr left, ParseConcat());
  while (tokens_.current().IsOperator("+") || tokens_.current().IsOperator("-")) {
    const Token& sign = tokens_.Next();
    GLINT_ASSIGN(ExpressionPtr right, ParseConcat());
    left = Make(ExpressionKind::kBinary, sign.line, std::move(left), std::move(right));
    left->name = sign.text;
    GLINT_ASSIGN(left, Finish(std::move(left)));
  }
  return left;
}

Result<ExpressionPtr> ExpressionParser::ParseConcat() {
  const int line = tokens_.line();
  GLINT_ASSIGN(ExpressionPtr first, ParseProduct());
  if (!tokens_.current().IsOperator("~")) return first;
  ExpressionPtr concat = Make(ExpressionKind::kConcat, line, std::move(first));
  while (tokens_.SkipOperator("~")) {
    GLINT_ASSIGN(ExpressionPtr part, ParseProduct());
    concat->operands.push_back(std::move(part));
  }
  return Finish(std::move(concat));
}

Result<ExpressionPtr> ExpressionParser::ParseProduct() {
  GLINT_ASSIGN(ExpressionPtr left, ParsePower());
  const auto at_sign = [&] {
    const Token& token = tokens_.current();
    return token.IsOperator("*") || token.IsOperator("/") || token.IsOperator("//") ||
           token.IsOperator("%");
  };
  while (at_sign()) {
    const Token& sign = tokens_.Next();
    GLINT_ASSIGN(ExpressionPtr right, ParsePower());
    left = Make(ExpressionKind::kBinary, sign.line, std::move(left), std::move(right));
    left->name = sign.text;
    GLINT_ASSIGN(left, Finish(std::move(left)));
  }
  return left;
}

Result<ExpressionPtr> ExpressionParser::ParsePower() {
  GLINT_ASSIGN(ExpressionPtr left, ParseUnary(true));
  while (tokens_.current().IsOperator("**")) {
    const Token& sign = tokens_.Next();
    GLINT_ASSIGN(ExpressionPtr right, ParseUnary(true));
    left = Make(ExpressionKind::kBinary, sign.line, std::move(left), std::move(right));
    left->name = sign.text;
    GLINT_ASSIGN(left, Finish(std::move(left)));
  }
  return left;
}

Result<ExpressionPtr> ExpressionParser::ParseUnary(bool with_filter) {
  const int line = tokens_.line();
  ExpressionPtr value;
  if (tokens_.current().IsOperator("-") || tokens_.current().IsOperator("+")) {
    const bool negative = tokens_.Next().text == "-";
    if (++nesting_ > kMaxNesting) return tokens_.Unexpected("fewer signs");
    GLINT_ASSIGN(value, ParseUnary(false));
    --nesting_;
    GLINT_ASSIGN(value,
                 Finish(Make(negative ? ExpressionKind::kNegative : ExpressionKind::kPositive, line,
                             std::move(value))));
  } else {
    GLINT_ASSIGN(value, ParsePrimary());
  }
  GLINT_ASSIGN(value, ParsePostfix(std::move(value)));
  if (!with_filter) return value;
  return ParseFilters(std::move(value));
}

Result<ExpressionPtr> ExpressionParser::ParsePrimary() {
  const Token& token = tokens_.current();
  switch (token.kind) {
    case TokenKind::kName: {
      tokens_.Next();
      if (!IsConstantName(token.text)) {
        ExpressionPtr name = Make(ExpressionKind::kName, token.line);
        name->name = token.text;
        return name;
      }
      const char first = token.text[0];
      if (first == 'n' || first == 'N') return MakeConstant(token.line, None{});
      return MakeConstant(token.line, first == 't' || first == 'T');
    }
    case TokenKind::kInteger:
    case TokenKind::kReal:
      return ParseNumber();
    case TokenKind::kString:
      return ParseString();
    default:
      if (tokens_.SkipOperator("(")) return ParseBrackets();
      if (tokens_.SkipOperator("[")) return ParseList();
      if (tokens_.SkipOperator("{")) return ParseDict();
      return tokens_.Unexpected("an expression");
  }
}

Result<ExpressionPtr> ExpressionParser::ParseNumber() {
  const Token& token = tokens_.Next();
  std::string_view text = token.text;
  if (token.kind == TokenKind::kReal) {
    return MakeConstant(token.line, std::strtod(token.text.c_str(), nullptr));
  }
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && text[1] > '9') {
    base = (text[1] | 0x20) == 'x' ? 16 : (text[1] | 0x20) == 'o' ? 8 : 2;
    text.remove_prefix(2);
  }
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (parsed.ec == std::errc()) return MakeConstant(token.line, value);
  if (base != 10)
    return TemplateError(token.line, format("the number {} is too large", token.text));
  GLINT_ASSIGN(Value big, FromJson(nullptr, Json(Json::Number{token.text})));
  return MakeConstant(token.line, std::move(big));
}

Result<ExpressionPtr> ExpressionParser::ParseString() {
  const int line = tokens_.line();
  std::string text;
  while (tokens_.current().kind == TokenKind::kString) text += tokens_.Next().text;
  return MakeConstant(line, MakeString(nullptr, std::move(text)));
}

Result<ExpressionPtr> ExpressionParser::ParseBrackets() {
  const int line = tokens_.line();
  if (tokens_.SkipOperator(")")) return Make(ExpressionKind::kTuple, line);
  GLINT_ASSIGN(ExpressionPtr inner, ParseTuple({}));
  GLINT_TRY(tokens_.ExpectOperator(")"));
  return inner;
}

Result<ExpressionPtr> ExpressionParser::ParseList() {
  ExpressionPtr list = Make(ExpressionKind::kList, tokens_.line());
  while (!tokens_.SkipOperator("]")) {
    GLINT_ASSIGN(ExpressionPtr item, ParseExpression());
    list->operands.push_back(std::move(item));
    if (!tokens_.current().IsOperator("]")) GLINT_TRY(tokens_.ExpectOperator(","));
  }
  return Finish(std::move(list));
}

Result<ExpressionPtr> ExpressionParser::ParseDict() {
  ExpressionPtr dict = Make(ExpressionKind::kDict, tokens_.line());
  while (!tokens_.SkipOperator("}")) {
    GLINT_ASSIGN(ExpressionPtr key, ParseExpression());
    GLINT_TRY(tokens_.ExpectOperator(":"));
    GLINT_ASSIGN(ExpressionPtr value, ParseExpression());
    dict->operands.push_back(std::move(key));
    dict->operands.push_back(std::move(value));
    if (!tokens_.current().IsOperator("}")) GLINT_TRY(tokens_.ExpectOperator(","));
  }
  return Finish(std::move(dict));
}

Result<ExpressionPtr> ExpressionParser::ParsePostfix(ExpressionPtr base) {
  while (true) {
    if (tokens_.SkipOperator(".")) {
      GLINT_ASSIGN(base, ParseDot(std::move(base)));
    } else if (tokens_.SkipOperator("[")) {
      GLINT_ASSIGN(base, ParseSubscript(std::move(base)));
    } else if (tokens_.current().IsOperator("(")) {
      GLINT_ASSIGN(base, ParseCall(std::move(base)));
    } else {
      return base;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::ParseFilters(ExpressionPtr base) {
  while (true) {
    if (tokens_.SkipOperator("|")) {
      GLINT_ASSIGN(base, ParseFilter(std::move(base)));
    } else if (tokens_.SkipName("is")) {
      GLINT_ASSIGN(base, ParseTest(std::move(base)));
    } else if (tokens_.current().IsOperator("(")) {
      GLINT_ASSIGN(base, ParseCall(std::move(base)));
    } else {
      return base;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::ParseBlockFilter() {
  GLINT_ASSIGN(ExpressionPtr filter, ParseFilter(nullptr));
  while (tokens_.SkipOperator("|")) {
    GLINT_ASSIGN(filter, ParseFilter(std::move(filter)));
  }
  return filter;
}

Result<ExpressionPtr> ExpressionParser::ParseFilter(ExpressionPtr base) {
  ExpressionPtr filter = Make(ExpressionKind::kFilter, tokens_.line(), std::move(base));
  GLINT_ASSIGN(filter->name, tokens_.ExpectName());
  filter->operation = FindFilter(filter->name);
  if (filter->operation == nullptr) {
    return TemplateError(filter->line, format("unknown filter '{}'", filter->name));
  }
  if (tokens_.current().IsOperator("(")) GLINT_TRY(ParseArguments(*filter));
  GLINT_TRY(CheckNamedOperation(*filter));
  return Finish(std::move(filter));
}

Result<ExpressionPtr> ExpressionParser::ParseTest(ExpressionPtr base) {
  ExpressionPtr test = Make(ExpressionKind::kTest, tokens_.line(), std::move(base));
  const bool negated = tokens_.SkipName("not");
  GLINT_ASSIGN(test->name, tokens_.ExpectName());
  test->operation = FindTest(test->name);
  if (test->operation == nullptr) {
    return TemplateError(test->line, format("unknown test '{}'", test->name));
  }
  const Token& next = tokens_.current();
  const bool starts_operand = next.kind == TokenKind::kString || next.kind == TokenKind::kInteger ||
                              next.kind == TokenKind::kReal || next.IsOperator("[") ||
                              next.IsOperator("{") ||
                              (next.kind == TokenKind::kName && next.text != "else" &&
                               next.text != "or" && next.text != "and");
  if (next.IsOperator("(")) {
    GLINT_TRY(ParseArguments(*test));
  } else if (starts_operand) {
    if (next.IsName("is")) return tokens_.Unexpected("no second 'is'");
    GLINT_ASSIGN(ExpressionPtr argument, ParsePrimary());
    GLINT_ASSIGN(argument, ParsePostfix(std::move(argument)));
    test->operands.push_back(std::move(argument));
  }
  const int line = test->line;
  GLINT_ASSIGN(test, Finish(std::move(test)));
  if (!negated) return test;
  return Finish(Make(ExpressionKind::kNot, line, std::move(test)));
}

Result<ExpressionPtr> ExpressionParser::ParseDot(ExpressionPtr base) {
  const Token& token = tokens_.current();
  if (token.kind == TokenKind::kName) {
    tokens_.Next();
    ExpressionPtr attribute = Make(ExpressionKind::kAttribute, token.line, std::move(base));
    attribute->name = token.text;
    return Finish(std::move(attribute));
  }
  if (token.kind != TokenKind::kInteger) return tokens_.Unexpected("a name or a number");
  const int line = token.line;
  GLINT_ASSIGN(ExpressionPtr index, ParseNumber());
  return Finish(Make(ExpressionKind::kItem, line, std::move(base), std::move(index)));
}

Result<ExpressionPtr> ExpressionParser::ParseSubscript(ExpressionPtr base) {
  const int line = tokens_.line();
  if (tokens_.current().IsOperator(":")) return ParseSlice(std::move(base), nullptr);
  GLINT_ASSIGN(ExpressionPtr index, ParseExpression());
  if (tokens_.current().IsOperator(":")) return ParseSlice(std::move(base), std::move(index));
  GLINT_TRY(tokens_.ExpectOperator("]"));
  return Finish(Make(ExpressionKind::kItem, line, std::move(base), std::move(index)));
}

Result<ExpressionPtr> ExpressionParser::ParseSlice(ExpressionPtr base, ExpressionPtr start) {
  ExpressionPtr slice =
      Make(ExpressionKind::kSlice, tokens_.line(), std::move(base), std::move(start));
  for (int part = 0; part < 2; ++part) {
    ExpressionPtr bound;
    if (tokens_.SkipOperator(":") && !tokens_.current().IsOperator(":") &&
        !tokens_.current().IsOperator("]")) {
      GLINT_ASSIGN(bound, ParseExpression());
    }
    slice->operands.push_back(std::move(bound));
  }
  GLINT_TRY(tokens_.ExpectOperator("]"));
  return Finish(std::move(slice));
}

Result<ExpressionPtr> ExpressionParser::ParseCall(ExpressionPtr base) {
  if (base->kind == ExpressionKind::kAttribute && !IsKnownMethod(base->name)) {
    return TemplateError(base->line, format("unknown method '{}'", base->name));
  }
  ExpressionPtr call = Make(ExpressionKind::kCall, tokens_.line(), std::move(base));
  GLINT_TRY(ParseArguments(*call));
  return Finish(std::move(call));
}

Status ExpressionParser::ParseArguments(Expression& call) {
  GLINT_TRY(tokens_.ExpectOperator("("));
  while (!tokens_.SkipOperator(")")) {
    if (tokens_.current().IsOperator("*") || tokens_.current().IsOperator("**")) {
      return TemplateError(tokens_.line(), "unpacking arguments with * is not supported");
    }
    if (tokens_.current().kind == TokenKind::kName && tokens_.Ahead().IsOperator("=")) {
      std::string name = tokens_.Next().text;
      tokens_.Next();
      GLINT_ASSIGN(ExpressionPtr value, ParseExpression());
      call.keywords.emplace_back(std::move(name), std::move(value));
    } else if (!call.keywords.empty()) {
      return tokens_.Unexpected("an argument by name");
    } else {
      GLINT_ASSIGN(ExpressionPtr value, ParseExpression());
      call.operands.push_back(std::move(value));
    }
    if (!tokens_.current().IsOperator(")")) GLINT_TRY(tokens_.ExpectOperator(","));
  }
  return Ok();
}

}  // namespace glint::text::jinja
