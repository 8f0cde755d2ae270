// SPDX-License-Identifier: Apache-2.0
// The inside of CompiledGrammar (text/grammar_compiler.h), and its last step.
#pragma once

#include <cstdint>
#include <memory>

#include "text/grammar_compiler.h"
#include "text/internal/automaton.h"
#include "text/internal/grammar_builder.h"
#include "text/internal/rule_compiler.h"
#include "text/internal/token_sets.h"
#include "text/internal/token_table_tables.h"

namespace glint::text {

struct CompiledGrammarParts {
  std::shared_ptr<const TokenTable> table;
  Automaton automaton;
  std::unique_ptr<TokenSets> sets;  // locks itself
};

// Assembles what a front end wrote, on top of the table's prelude.
GrammarResult FinishGrammar(std::shared_ptr<const TokenTable> table, const GrammarBuilder& builder,
                            RuleId root, RuleForm form, const GrammarLimits& limits,
                            WorkBudget& budget);

RuleLimits RuleLimitsOf(const GrammarLimits& limits);

}  // namespace glint::text
