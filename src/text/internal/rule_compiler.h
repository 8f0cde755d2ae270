// SPDX-License-Identifier: Apache-2.0
// From an expression to the automaton of a rule, and arithmetic on automata of bytes alone.
//
// Sources: Thompson's construction and the subset construction, as any book on automata has them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "text/internal/automaton.h"
#include "text/internal/grammar_builder.h"

namespace glint::text {

struct RuleLimits {
  std::int64_t max_states = 100'000;  // of the rule, before and after it is made deterministic
  std::int64_t max_edges = 500'000;
};

enum class RuleForm : std::uint8_t {
  kDeterministic,  // or refused: on a byte there is one edge for each set of flags
  kSmall,          // deterministic unless that is much larger
};

// kInvalidArgument when a limit is passed; says which. Calls, tokens and edges with different flags
// stay beside one another; the deterministic form is so with each of them as a symbol.
Result<Fragment> CompileRule(const GrammarBuilder& builder, ExprId body, RuleForm form,
                             const RuleLimits& limits, WorkBudget& budget);

// Of two deterministic automata over bytes without flags: what both match, or what `a` matches and
// `b` does not. Trimmed: from each state an end can be reached; without states it matches nothing.
enum class Combination : std::uint8_t { kBoth, kFirstOnly };
Result<Fragment> Combine(const Fragment& a, const Fragment& b, Combination combination,
                         const RuleLimits& limits, WorkBudget& budget);

// Whether a deterministic automaton over bytes matches all of `text`.
bool Matches(const Fragment& fragment, std::string_view text);

}  // namespace glint::text
