// SPDX-License-Identifier: Apache-2.0
// From a grammar of expressions to one automaton that is safe to run.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "text/internal/automaton.h"
#include "text/internal/grammar_builder.h"
#include "text/internal/rule_compiler.h"

namespace glint::text {

struct AssemblyLimits {
  RuleLimits rule;
  std::int64_t max_states = 300'000;  // of all rules together
  RuleForm form = RuleForm::kSmall;
};

// The states of `prelude` (null: none) come first, with the same ids, as do its rules. In the
// result each state can reach the end of its rule, and no rule can begin with itself.
// kInvalidArgument when a limit is passed, a rule is not defined, a rule begins with itself, or no
// finite text matches.
Result<Automaton> Assemble(const Automaton* prelude, const GrammarBuilder& builder, RuleId root,
                           const AssemblyLimits& limits, WorkBudget& budget);

}  // namespace glint::text
