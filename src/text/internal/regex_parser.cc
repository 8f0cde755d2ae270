// SPDX-License-Identifier: Apache-2.0
#include "text/internal/regex_parser.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/format.h"
#include "text/internal/pattern_scanner.h"

namespace glint::text {
namespace {

constexpr int kMaxDepth = 100;

class Parser {
 public:
  Parser(std::string_view pattern, RegexMatch match, Spelling spelling, GrammarBuilder& builder)
      : scanner_(pattern), match_(match), spelling_(spelling), builder_(builder) {}

  Result<ExprId> Run() {
    GLINT_ASSIGN(const ExprId expr, Alternatives(0));
    if (!scanner_.done()) return scanner_.ErrorHere("a ) without its (");
    return expr;
  }

 private:
  Result<ExprId> Alternatives(int depth) {
    std::vector<ExprId> choices;
    do {
      GLINT_ASSIGN(const ExprId choice, Alternative(depth));
      choices.push_back(choice);
    } while (scanner_.Skip("|"));
    return choices.size() == 1 ? choices[0] : builder_.Choice(std::move(choices));
  }

  Result<ExprId> Alternative(int depth) {
    const bool outside = depth == 0;
    const bool from_start = outside && scanner_.Skip("^");
    bool to_end = false;
    std::vector<ExprId> parts;
    if (outside && !from_start && match_ == RegexMatch::kSearch) parts.push_back(Anything());
    while (!scanner_.done() && scanner_.Peek() != '|' && scanner_.Peek() != ')') {
      if (outside && scanner_.Skip("$")) {
        to_end = true;
        if (!scanner_.done() && scanner_.Peek() != '|') {
          return scanner_.ErrorHere("$ is supported at the end only");
        }
        break;
      }
      GLINT_ASSIGN(ExprId part, Part(depth));
      GLINT_ASSIGN(const auto count, scanner_.TakeCount());
      if (count) {
        part = builder_.Repeat(part, count->at_least, count->at_most);
        if (scanner_.Peek() == '+')
          return scanner_.ErrorHere("possessive counts are not supported");
        scanner_.Skip("?");  // lazy: the same texts
        const char next = scanner_.Peek();
        if (next == '*' || next == '+' || next == '?' || next == '{') {
          return scanner_.ErrorHere("nothing to repeat");
        }
      }
      parts.push_back(part);
    }
    if (outside && !to_end && match_ == RegexMatch::kSearch) parts.push_back(Anything());
    return parts.size() == 1 ? parts[0] : builder_.Sequence(std::move(parts));
  }

  Result<ExprId> Part(int depth) {
    if (scanner_.Skip("(")) return Group(depth + 1);
    if (scanner_.Skip("[")) {
      GLINT_ASSIGN(CodePointSet set, scanner_.TakeClass());
      return builder_.Class(std::move(set), spelling_);
    }
    if (scanner_.Skip(".")) return builder_.Class(NotLineEnd(), spelling_);
    if (scanner_.Skip("\\")) {
      GLINT_ASSIGN(PatternScanner::Escape escape, scanner_.TakeEscape());
      return builder_.Class(std::move(escape.set), spelling_);
    }
    const char c = scanner_.Peek();
    if (c == '^' || c == '$') return scanner_.ErrorHere("anchors are supported at the ends only");
    if (c == '*' || c == '+' || c == '?' || c == '{') {
      return scanner_.ErrorHere("nothing to repeat");
    }
    GLINT_ASSIGN(const std::uint32_t code_point, scanner_.Take());
    return builder_.Class(CodePointSet({{code_point, code_point}}), spelling_);
  }

  Result<ExprId> Group(int depth) {
    if (depth > kMaxDepth) return scanner_.ErrorHere(format("more than {} groups deep", kMaxDepth));
    if (scanner_.Skip("?")) {
      const bool named = scanner_.rest().starts_with("<") && !scanner_.rest().starts_with("<=") &&
                         !scanner_.rest().starts_with("<!");
      if (named || scanner_.rest().starts_with("P<")) {
        const std::size_t close = scanner_.rest().find('>');
        if (close == std::string_view::npos)
          return scanner_.ErrorHere("a group name without its >");
        scanner_.Drop(close + 1);
      } else if (!scanner_.Skip(":")) {
        return scanner_.ErrorHere("look-around and flags are not supported");
      }
    }
    GLINT_ASSIGN(const ExprId expr, Alternatives(depth));
    if (!scanner_.Skip(")")) return scanner_.ErrorHere("a ( without its )");
    return expr;
  }

  ExprId Anything() { return builder_.Repeat(builder_.Class(CodePointSet::All(), spelling_), 0); }

  PatternScanner scanner_;
  RegexMatch match_;
  Spelling spelling_;
  GrammarBuilder& builder_;
};

}  // namespace

Result<ExprId> ParseRegex(std::string_view pattern, RegexMatch match, Spelling spelling,
                          GrammarBuilder& builder) {
  return Parser(pattern, match, spelling, builder).Run();
}

}  // namespace glint::text
