// SPDX-License-Identifier: Apache-2.0
// What must hold before an automaton runs: no dead ends, and no rule that calls itself without a
// byte in between.
#pragma once

#include "base/result.h"
#include "text/internal/automaton.h"

namespace glint::text {

// Takes out the edges after which no finite text can end the rule. kInvalidArgument when nothing is
// left of the root.
Status RemoveDeadEnds(Automaton& automaton);

// kInvalidArgument when a rule can begin with itself (left recursion): its calls would not end.
Status CheckLeftRecursion(const Automaton& automaton);

}  // namespace glint::text
