// SPDX-License-Identifier: Apache-2.0
// An expression as a non-deterministic automaton with empty edges: the step between
// grammar_builder.h and rule_compiler.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "text/internal/grammar_builder.h"

namespace glint::text {

struct Nfa {
  struct Node {
    std::vector<Edge> edges;
    std::vector<std::int32_t> empty;  // targets of empty edges
  };
  std::vector<Node> nodes;  // the first is the start
  std::int32_t accept = 0;
  bool too_large = false;  // then the rest is of no use
};

// Stops at `max_nodes`, or when `budget` is used up.
Nfa BuildNfa(const GrammarBuilder& builder, ExprId body, std::int64_t max_nodes,
             WorkBudget& budget);

}  // namespace glint::text
