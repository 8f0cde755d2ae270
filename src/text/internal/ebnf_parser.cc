// SPDX-License-Identifier: Apache-2.0
#include "text/internal/ebnf_parser.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "text/internal/pattern_scanner.h"

namespace glint::text {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::string_view kSpaces = " \t\r\n";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

class Parser {
 public:
  Parser(std::string_view grammar, GrammarBuilder& builder)
      : scanner_(grammar), builder_(builder) {}

  Result<RuleId> Run() {
    SkipSpace();
    while (!scanner_.done()) GLINT_TRY(ParseRule());
    for (const auto& [name, rule] : rules_) {
      if (!rule.defined) {
        return InvalidArgument(format("rule {} is used but not defined", Quoted(name)));
      }
    }
    const auto root = rules_.find("root");
    if (root == rules_.end()) return InvalidArgument("the grammar has no rule root");
    return root->second.id;
  }

 private:
  struct Rule {
    RuleId id = 0;
    bool defined = false;
  };

  Rule& RuleNamed(std::string_view name) {
    const auto [at, added] = rules_.try_emplace(std::string(name));
    if (added) at->second.id = builder_.NewRule();
    return at->second;
  }

  void SkipSpace() {
    for (;;) {
      const std::size_t spaces = scanner_.rest().find_first_not_of(kSpaces);
      scanner_.Drop(std::min(spaces, scanner_.rest().size()));
      if (scanner_.Peek() != '#') return;
      scanner_.Drop(std::min(scanner_.rest().find('\n'), scanner_.rest().size()));
    }
  }

  // The name that the rest begins with; empty: none. Not taken.
  [[nodiscard]] std::string_view PeekName() const {
    std::size_t length = 0;
    while (length < scanner_.rest().size() && IsNameCharacter(scanner_.rest()[length])) ++length;
    return scanner_.rest().substr(0, length);
  }

  // Whether a new rule begins here.
  [[nodiscard]] bool AtDefinition() const {
    const std::string_view name = PeekName();
    if (name.empty()) return false;
    const std::string_view behind = scanner_.rest().substr(name.size());
    const std::size_t at = behind.find_first_not_of(kSpaces);
    return at != std::string_view::npos && behind.substr(at).starts_with("::=");
  }

  Status ParseRule() {
    const std::string_view name = PeekName();
    if (name.empty()) return scanner_.ErrorHere("the name of a rule was expected");
    scanner_.Drop(name.size());
    SkipSpace();
    if (!scanner_.Skip("::=")) return scanner_.ErrorHere("::= was expected");
    Rule& rule = RuleNamed(name);
    if (std::exchange(rule.defined, true)) {
      return InvalidArgument(format("rule {} is defined twice", Quoted(name)));
    }
    const RuleId id = rule.id;
    GLINT_ASSIGN(const ExprId body, Alternatives(0));
    builder_.Define(id, body);
    if (!scanner_.done() && !AtDefinition()) return scanner_.ErrorHere("unexpected text");
    return Ok();
  }

  Result<ExprId> Alternatives(int depth) {
    std::vector<ExprId> choices;
    do {
      SkipSpace();
      GLINT_ASSIGN(const ExprId choice, Sequence(depth));
      choices.push_back(choice);
    } while (scanner_.Skip("|"));
    return choices.size() == 1 ? choices[0] : builder_.Choice(std::move(choices));
  }

  Result<ExprId> Sequence(int depth) {
    std::vector<ExprId> parts;
    while (StartsPart()) {
      GLINT_ASSIGN(ExprId part, Part(depth));
      SkipSpace();
      for (;;) {
        GLINT_ASSIGN(const auto count, scanner_.TakeCount());
        if (!count) break;
        part = builder_.Repeat(part, count->at_least, count->at_most);
        if (++repeats_ > 10'000) return scanner_.ErrorHere("too many repetitions");
        SkipSpace();
      }
      parts.push_back(part);
    }
    return parts.size() == 1 ? parts[0] : builder_.Sequence(std::move(parts));
  }

  [[nodiscard]] bool StartsPart() const {
    const char c = scanner_.Peek();
    if (c == '"' || c == '\'' || c == '[' || c == '(' || c == '.') return !scanner_.done();
    return IsNameCharacter(c) && !AtDefinition();
  }

  Result<ExprId> Part(int depth) {
    if (scanner_.Skip("\"")) return Literal('"');
    if (scanner_.Skip("'")) return Literal('\'');
    if (scanner_.Skip(".")) return builder_.Class(CodePointSet::All(), Spelling::kRaw);
    if (scanner_.Skip("[")) {
      GLINT_ASSIGN(CodePointSet set, scanner_.TakeClass());
      return builder_.Class(std::move(set), Spelling::kRaw);
    }
    if (scanner_.Skip("(")) {
      if (depth >= kMaxDepth) {
        return scanner_.ErrorHere(format("more than {} groups deep", kMaxDepth));
      }
      GLINT_ASSIGN(const ExprId expr, Alternatives(depth + 1));
      if (!scanner_.Skip(")")) return scanner_.ErrorHere("a ( without its )");
      return expr;
    }
    const std::string_view name = PeekName();
    scanner_.Drop(name.size());
    return builder_.Call(RuleNamed(name).id);
  }

  Result<ExprId> Literal(char quote) {
    std::string text;
    while (!scanner_.Skip(std::string_view(&quote, 1))) {
      if (scanner_.Skip("\\")) {
        GLINT_ASSIGN(const PatternScanner::Escape escape, scanner_.TakeEscape());
        if (!escape.single) return scanner_.ErrorHere("a class in a literal");
        AppendUtf8(*escape.single, text);
        continue;
      }
      GLINT_ASSIGN(const std::uint32_t code_point, scanner_.Take());
      AppendUtf8(code_point, text);
    }
    return builder_.Bytes(text);
  }

  PatternScanner scanner_;
  GrammarBuilder& builder_;
  std::unordered_map<std::string, Rule> rules_;
  int repeats_ = 0;
};

}  // namespace

Result<RuleId> ParseEbnf(std::string_view grammar, GrammarBuilder& builder) {
  return Parser(grammar, builder).Run();
}

}  // namespace glint::text
