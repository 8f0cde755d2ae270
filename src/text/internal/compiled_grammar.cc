// SPDX-License-Identifier: Apache-2.0
#include "text/internal/compiled_grammar.h"

#include <utility>

#include "base/format.h"
#include "text/internal/grammar_assembly.h"
#include "text/internal/stack_arena.h"
#include "text/internal/stepper.h"

namespace glint::text {

CompiledGrammar::CompiledGrammar(std::unique_ptr<const CompiledGrammarParts> parts)
    : parts_(std::move(parts)) {}
CompiledGrammar::~CompiledGrammar() = default;

std::int64_t CompiledGrammar::state_count() const {
  return static_cast<std::int64_t>(parts_->automaton.states.size());
}

RuleLimits RuleLimitsOf(const GrammarLimits& limits) {
  return {.max_states = limits.rule_states, .max_edges = 8 * limits.rule_states};
}

GrammarResult FinishGrammar(std::shared_ptr<const TokenTable> table, const GrammarBuilder& builder,
                            RuleId root, RuleForm form, const GrammarLimits& limits,
                            WorkBudget& budget) {
  if (builder.size() > limits.expressions) {
    return InvalidArgument(format("the grammar has more than {} parts", limits.expressions));
  }
  const TokenTableTables& tables = table->tables();
  const AssemblyLimits assembly = {
      .rule = RuleLimitsOf(limits), .max_states = limits.states, .form = form};
  auto parts = std::make_unique<CompiledGrammarParts>();
  GLINT_ASSIGN(parts->automaton,
               Assemble(&tables.prelude.automaton, builder, root, assembly, budget));
  parts->sets = std::make_unique<TokenSets>(tables.trie, parts->automaton, tables.words(),
                                            tables.prelude_sets.get());
  StackArena arena;
  Places start;
  Stepper(parts->automaton, arena).Start(root, start);
  if (start.dead() || !parts->sets->FindAhead(limits.ahead_work)) {
    return InvalidArgument("the grammar is too ambiguous: one text has too many readings");
  }
  parts->table = std::move(table);
  return std::make_shared<const CompiledGrammar>(std::move(parts));
}

}  // namespace glint::text
