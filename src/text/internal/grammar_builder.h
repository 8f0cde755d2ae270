// SPDX-License-Identifier: Apache-2.0
// What the front ends write: expressions, each rule of a grammar one. rule_compiler.h makes
// automata of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/internal/automaton.h"
#include "text/internal/code_points.h"

namespace glint::text {

using ExprId = std::int32_t;
using RuleId = std::int32_t;

// How text spells a character: as UTF-8, or as JSON does within a string, where `"`, `\` and
// control characters have one escape each.
enum class Spelling : std::uint8_t { kRaw, kJson };

struct Expr {
  enum class Kind : std::uint8_t {
    kBytes,     // text
    kClass,     // one character of `set`
    kToken,     // the added token `a`
    kCall,      // rule `a`, with `counters`
    kSequence,  // the children; none: empty text
    kChoice,    // one of the children; none: nothing matches
    kRepeat,    // the child, `a` to `b` times; b < 0: no limit
    kFragment,  // `fragment`
    kMembers,   // the children in order; those that `optional` names may be left out. Child `a`
                // stands between two that are there. Child `b`, if >= 0, may follow any number of
                // times. Both are expressions, not indexes of children.
  };
  Kind kind = Kind::kSequence;
  std::uint8_t flags = 0;  // kBytes, kClass, kToken and kCall: Edge::Flag of the first byte
  Spelling spelling = Spelling::kRaw;
  std::int32_t a = 0;
  std::int32_t b = 0;
  Counters counters;
  std::string text;
  CodePointSet set;
  Fragment fragment;
  std::vector<ExprId> children;
  std::vector<bool> optional;
};

// Expressions form a tree: using one in two places copies it. Thread-compatible.
class GrammarBuilder {
 public:
  // Rules of the prelude have the ids below `first_rule`.
  explicit GrammarBuilder(RuleId first_rule = 0) : first_rule_(first_rule) {}

  ExprId Bytes(std::string_view text, std::uint8_t flags = 0);
  ExprId Class(CodePointSet set, Spelling spelling, std::uint8_t flags = 0);
  ExprId Token(std::int32_t token, std::uint8_t flags = 0);
  ExprId Call(RuleId rule, Counters counters = {}, std::uint8_t flags = 0);
  ExprId Sequence(std::vector<ExprId> children);
  ExprId Choice(std::vector<ExprId> children);
  ExprId Repeat(ExprId child, std::int32_t at_least, std::int32_t at_most = -1);
  ExprId Optional(ExprId child) { return Repeat(child, 0, 1); }
  ExprId Empty() { return Sequence({}); }
  ExprId Nothing() { return Choice({}); }
  ExprId Embed(Fragment fragment);
  ExprId Members(std::vector<ExprId> members, std::vector<bool> optional, ExprId separator,
                 ExprId further);

  RuleId NewRule();
  void Define(RuleId rule, ExprId body);

  struct Rule {
    ExprId body = -1;  // -1: not defined
  };
  [[nodiscard]] const Expr& expr(ExprId id) const { return exprs_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  [[nodiscard]] RuleId first_rule() const { return first_rule_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(exprs_.size()); }

 private:
  ExprId Add(Expr expr);

  RuleId first_rule_;
  std::vector<Expr> exprs_;
  std::vector<Rule> rules_;
};

}  // namespace glint::text
