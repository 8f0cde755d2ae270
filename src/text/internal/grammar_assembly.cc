// SPDX-License-Identifier: Apache-2.0
#include "text/internal/grammar_assembly.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "text/internal/automaton_check.h"

namespace glint::text {
namespace {

void Append(const Fragment& fragment, Automaton& automaton) {
  const auto offset = static_cast<std::int32_t>(automaton.states.size());
  bool counts = false;
  bool plain = true;  // no calls
  for (const Fragment::State& state : fragment.states) {
    Automaton::State copy;
    copy.final = state.final;
    copy.base = state.base;
    copy.first_edge = static_cast<std::int32_t>(automaton.edges.size());
    for (Edge edge : state.edges) {
      edge.target = edge.target < 0 ? ~edge.target : edge.target + offset;
      counts = counts || (edge.flags & Edge::kCount) != 0;
      plain = plain && edge.kind != Edge::Kind::kCall;
      automaton.edges.push_back(edge);
    }
    copy.end_edge = static_cast<std::int32_t>(automaton.edges.size());
    automaton.states.push_back(copy);
  }
  for (auto i = static_cast<std::size_t>(offset); i < automaton.states.size(); ++i) {
    automaton.states[i].counted_text = counts && plain;
  }
  // A rule that matches nothing is a state without an end.
  if (fragment.states.empty()) automaton.states.emplace_back();
}

}  // namespace

Result<Automaton> Assemble(const Automaton* prelude, const GrammarBuilder& builder, RuleId root,
                           const AssemblyLimits& limits, WorkBudget& budget) {
  Automaton automaton;
  if (prelude != nullptr) automaton = *prelude;
  automaton.root = root;
  for (const GrammarBuilder::Rule& rule : builder.rules()) {
    if (rule.body < 0) return InvalidArgument("a rule of the grammar is not defined");
    GLINT_ASSIGN(const Fragment fragment,
                 CompileRule(builder, rule.body, limits.form, limits.rule, budget));
    automaton.rule_starts.push_back(static_cast<std::int32_t>(automaton.states.size()));
    Append(fragment, automaton);
    const auto states = static_cast<std::int64_t>(automaton.states.size());
    if (states > limits.max_states) {
      return InvalidArgument(format("the grammar needs more than {} states", limits.max_states));
    }
    const auto edges = static_cast<std::int64_t>(automaton.edges.size());
    if (edges > 8 * limits.max_states) {
      return InvalidArgument(format("the grammar needs more than {} edges", 8 * limits.max_states));
    }
  }
  GLINT_TRY(RemoveDeadEnds(automaton));
  GLINT_TRY(CheckLeftRecursion(automaton));
  return automaton;
}

}  // namespace glint::text
