// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_parser.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/format.h"
#include "text/internal/jinja_expression_parser.h"
#include "text/internal/jinja_resolve_names.h"
#include "text/internal/jinja_token_stream.h"

namespace glint::text::jinja {
namespace {

constexpr int kMaxNesting = 100;  // tags in one another

using StatementPtr = std::unique_ptr<Statement>;
using EndTags = std::initializer_list<std::string_view>;

StatementPtr Make(StatementKind kind, int line) {
  auto statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->line = line;
  return statement;
}

class TemplateParser {
 public:
  explicit TemplateParser(std::vector<Token> tokens)
      : tokens_(std::move(tokens)), expressions_(tokens_) {}

  Result<Template> Run() {
    Template parsed;
    GLINT_ASSIGN(parsed.body, ParseBody({}));
    return parsed;
  }

 private:
  // Statements up to one of the `ends`, whose name is then the current token; with no `ends`, up to
  // the end of the template.
  Result<Body> ParseBody(EndTags ends) {
    if (++nesting_ > kMaxNesting) {
      return TemplateError(tokens_.line(), format("tags are nested deeper than {}", kMaxNesting));
    }
    Body body;
    while (true) {
      const Token& token = tokens_.current();
      if (token.kind == TokenKind::kEnd) {
        if (ends.size() > 0) {
          return TemplateError(token.line, format("the template ends before '{}'", *ends.begin()));
        }
        break;
      }
      if (token.kind == TokenKind::kBlockBegin && IsEnd(tokens_.Ahead(), ends)) {
        tokens_.Next();
        break;
      }
      GLINT_ASSIGN(StatementPtr statement, ParseStatement());
      body.push_back(std::move(statement));
    }
    --nesting_;
    return body;
  }

  // ParseBody up to the end tag, which it goes past.
  Result<Body> ParseBodyAndEnd(std::string_view end) {
    GLINT_ASSIGN(Body body, ParseBody({end}));
    tokens_.Next();
    return body;
  }

  static bool IsEnd(const Token& token, EndTags ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return token.IsName(end); });
  }

  Status ExpectBlockEnd() { return tokens_.Expect(TokenKind::kBlockEnd, "'%}'"); }

  Result<StatementPtr> ParseStatement() {
    const Token& token = tokens_.Next();
    if (token.kind == TokenKind::kData) {
      StatementPtr text = Make(StatementKind::kText, token.line);
      text->name = token.text;
      return text;
    }
    if (token.kind == TokenKind::kVariableBegin) {
      StatementPtr output = Make(StatementKind::kOutput, token.line);
      GLINT_ASSIGN(ExpressionPtr value, expressions_.ParseTuple({}));
      output->expressions.push_back(std::move(value));
      GLINT_TRY(tokens_.Expect(TokenKind::kVariableEnd, "'}}'"));
      return output;
    }
    return ParseTag();
  }

  Result<StatementPtr> ParseTag() {
    struct Tag {
      std::string_view name;
      Result<StatementPtr> (TemplateParser::*parse)(int line);
    };
    constexpr std::array<Tag, 10> kTags = {{{"if", &TemplateParser::ParseIf},
                                            {"for", &TemplateParser::ParseFor},
                                            {"set", &TemplateParser::ParseSet},
                                            {"macro", &TemplateParser::ParseMacro},
                                            {"call", &TemplateParser::ParseCallBlock},
                                            {"filter", &TemplateParser::ParseFilterBlock},
                                            {"with", &TemplateParser::ParseWith},
                                            {"generation", &TemplateParser::ParseGeneration},
                                            {"break", &TemplateParser::ParseBreak},
                                            {"continue", &TemplateParser::ParseContinue}}};
    const Token& name = tokens_.current();
    if (name.kind != TokenKind::kName) return tokens_.Unexpected("the name of a tag");
    const auto* const found = std::find_if(kTags.begin(), kTags.end(),
                                           [&](const Tag& tag) { return name.text == tag.name; });
    if (found == kTags.end()) {
      return TemplateError(name.line, format("unknown tag '{}'", name.text));
    }
    tokens_.Next();
    GLINT_ASSIGN(StatementPtr statement, (this->*found->parse)(name.line));
    GLINT_TRY(ExpectBlockEnd());
    return statement;
  }

  Result<StatementPtr> ParseIf(int line) {
    StatementPtr chain = Make(StatementKind::kIf, line);
    bool is_else = false;
    while (true) {
      Branch branch;
      if (!is_else) {
        GLINT_ASSIGN(branch.condition, expressions_.ParseTuple({.conditional = false}));
      }
      GLINT_TRY(ExpectBlockEnd());
      if (is_else) {
        GLINT_ASSIGN(branch.body, ParseBody({"endif"}));
      } else {
        GLINT_ASSIGN(branch.body, ParseBody({"endif", "elif", "else"}));
      }
      chain->branches.push_back(std::move(branch));
      const std::string& end = tokens_.Next().text;
      if (end == "endif") return chain;
      is_else = end == "else";
    }
  }

  Result<StatementPtr> ParseFor(int line) {
    StatementPtr loop = Make(StatementKind::kFor, line);
    GLINT_ASSIGN(loop->target, expressions_.ParseTarget(false, "in"));
    if (!tokens_.SkipName("in")) return tokens_.Unexpected("'in'");
    GLINT_ASSIGN(ExpressionPtr items,
                 expressions_.ParseTuple({.conditional = false, .end = "recursive"}));
    loop->expressions.push_back(std::move(items));
    loop->expressions.emplace_back();
    if (tokens_.SkipName("if")) {
      GLINT_ASSIGN(loop->expressions[1], expressions_.ParseExpression());
    }
    if (tokens_.current().IsName("recursive")) {
      return TemplateError(line, "recursive loops are not supported");
    }
    GLINT_TRY(ExpectBlockEnd());
    ++loops_;
    GLINT_ASSIGN(loop->body, ParseBody({"endfor", "else"}));
    --loops_;
    if (tokens_.Next().text == "endfor") return loop;
    GLINT_TRY(ExpectBlockEnd());
    GLINT_ASSIGN(loop->else_body, ParseBodyAndEnd("endfor"));
    return loop;
  }

  Result<StatementPtr> ParseSet(int line) {
    StatementPtr set = Make(StatementKind::kSet, line);
    GLINT_ASSIGN(set->target, expressions_.ParseTarget(true, {}));
    if (tokens_.SkipOperator("=")) {
      GLINT_ASSIGN(ExpressionPtr value, expressions_.ParseTuple({}));
      set->expressions.push_back(std::move(value));
      return set;
    }
    set->kind = StatementKind::kSetBlock;
    if (tokens_.SkipOperator("|")) {
      GLINT_ASSIGN(ExpressionPtr filter, expressions_.ParseBlockFilter());
      set->expressions.push_back(std::move(filter));
    }
    GLINT_TRY(ExpectBlockEnd());
    GLINT_ASSIGN(set->body, ParseBodyAndEnd("endset"));
    return set;
  }

  // (name, name=default, ...)
  Status ParseParameters(Statement& macro) {
    GLINT_TRY(tokens_.ExpectOperator("("));
    while (!tokens_.SkipOperator(")")) {
      Parameter parameter;
      GLINT_ASSIGN(parameter.target, expressions_.ParseNameTarget());
      if (tokens_.SkipOperator("=")) {
        GLINT_ASSIGN(parameter.value, expressions_.ParseExpression());
      } else if (!macro.parameters.empty() && macro.parameters.back().value != nullptr) {
        return tokens_.Unexpected("a default value, as the parameter before has one");
      }
      macro.parameters.push_back(std::move(parameter));
      if (!tokens_.current().IsOperator(")")) GLINT_TRY(tokens_.ExpectOperator(","));
    }
    return Ok();
  }

  // A body that runs as a function: its loops are its own.
  Result<Body> ParseFunctionBody(std::string_view end) {
    GLINT_TRY(ExpectBlockEnd());
    const int outer_loops = std::exchange(loops_, 0);
    GLINT_ASSIGN(Body body, ParseBodyAndEnd(end));
    loops_ = outer_loops;
    return body;
  }

  Result<StatementPtr> ParseMacro(int line) {
    StatementPtr macro = Make(StatementKind::kMacro, line);
    GLINT_ASSIGN(macro->target, expressions_.ParseNameTarget());
    macro->name = macro->target->name;
    GLINT_TRY(ParseParameters(*macro));
    GLINT_ASSIGN(macro->body, ParseFunctionBody("endmacro"));
    return macro;
  }

  Result<StatementPtr> ParseCallBlock(int line) {
    StatementPtr block = Make(StatementKind::kCallBlock, line);
    block->name = "caller";
    if (tokens_.current().IsOperator("(")) GLINT_TRY(ParseParameters(*block));
    GLINT_ASSIGN(ExpressionPtr call, expressions_.ParseExpression());
    if (call->kind != ExpressionKind::kCall) return TemplateError(line, "'call' needs a call");
    block->expressions.push_back(std::move(call));
    GLINT_ASSIGN(block->body, ParseFunctionBody("endcall"));
    return block;
  }

  Result<StatementPtr> ParseFilterBlock(int line) {
    StatementPtr block = Make(StatementKind::kFilterBlock, line);
    GLINT_ASSIGN(ExpressionPtr filter, expressions_.ParseBlockFilter());
    block->expressions.push_back(std::move(filter));
    GLINT_TRY(ExpectBlockEnd());
    GLINT_ASSIGN(block->body, ParseBodyAndEnd("endfilter"));
    return block;
  }

  Result<StatementPtr> ParseWith(int line) {
    StatementPtr with = Make(StatementKind::kWith, line);
    while (tokens_.current().kind != TokenKind::kBlockEnd) {
      if (!with->parameters.empty()) GLINT_TRY(tokens_.ExpectOperator(","));
      Parameter assignment;
      GLINT_ASSIGN(assignment.target, expressions_.ParseNameTarget());
      GLINT_TRY(tokens_.ExpectOperator("="));
      GLINT_ASSIGN(assignment.value, expressions_.ParseExpression());
      with->parameters.push_back(std::move(assignment));
    }
    GLINT_TRY(ExpectBlockEnd());
    GLINT_ASSIGN(with->body, ParseBodyAndEnd("endwith"));
    return with;
  }

  Result<StatementPtr> ParseGeneration(int line) {
    StatementPtr block = Make(StatementKind::kGeneration, line);
    GLINT_ASSIGN(block->body, ParseFunctionBody("endgeneration"));
    return block;
  }

  Result<StatementPtr> ParseBreak(int line) {
    if (loops_ == 0) return TemplateError(line, "'break' outside of a loop");
    return Make(StatementKind::kBreak, line);
  }
  Result<StatementPtr> ParseContinue(int line) {
    if (loops_ == 0) return TemplateError(line, "'continue' outside of a loop");
    return Make(StatementKind::kContinue, line);
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  int nesting_ = 0;
  int loops_ = 0;  // around the current tag
};

}  // namespace

Result<Template> ParseTemplate(std::string_view source) {
  GLINT_ASSIGN(std::vector<Token> tokens, Tokenize(source));
  GLINT_ASSIGN(Template parsed, TemplateParser(std::move(tokens)).Run());
  GLINT_TRY(ResolveNames(parsed));
  return parsed;
}

}  // namespace glint::text::jinja
