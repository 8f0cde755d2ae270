// SPDX-License-Identifier: Apache-2.0
#include "text/internal/automaton_check.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace glint::text {
namespace {

std::size_t Index(std::int32_t id) { return static_cast<std::size_t>(id); }

std::span<const Edge> EdgesOf(const Automaton& automaton, std::size_t state) {
  const Automaton::State& s = automaton.states[state];
  return std::span(automaton.edges).subspan(Index(s.first_edge), Index(s.end_edge - s.first_edge));
}

// A least fixed point over states: those from which an end is reachable when only edges of bytes or
// tokens count if `with_shifts`, and a call counts when its rule's start is in the set.
std::vector<bool> CanReachEnd(const Automaton& automaton, bool with_shifts) {
  const std::size_t count = automaton.states.size();
  std::vector<std::vector<std::int32_t>> before(count);   // states with an edge to it
  std::vector<std::vector<std::int32_t>> callers(count);  // of a start state: states that call it
  std::vector<bool> reached(count, false);
  std::vector<std::int32_t> work;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Edge& edge : EdgesOf(automaton, i)) {
      if (edge.kind != Edge::Kind::kCall) {
        if (with_shifts) before[Index(edge.target)].push_back(static_cast<std::int32_t>(i));
        continue;
      }
      const std::int32_t start = automaton.rule_starts[Index(edge.what)];
      before[Index(edge.target)].push_back(static_cast<std::int32_t>(i));
      callers[Index(start)].push_back(static_cast<std::int32_t>(i));
    }
    if (!automaton.states[i].final) continue;
    reached[i] = true;
    work.push_back(static_cast<std::int32_t>(i));
  }
  const auto leads_on = [&](std::size_t state) {
    for (const Edge& edge : EdgesOf(automaton, state)) {
      if (!reached[Index(edge.target)]) continue;
      if (edge.kind == Edge::Kind::kCall ? reached[Index(automaton.rule_starts[Index(edge.what)])]
                                         : with_shifts) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::size_t state = Index(work[i]);
    for (const auto* list : {&before[state], &callers[state]}) {
      for (const std::int32_t candidate : *list) {
        if (reached[Index(candidate)] || !leads_on(Index(candidate))) continue;
        reached[Index(candidate)] = true;
        work.push_back(candidate);
      }
    }
  }
  return reached;
}

// The rules that each rule can call before anything is consumed.
std::vector<std::vector<std::int32_t>> FirstCalls(const Automaton& automaton) {
  const std::vector<bool> nullable = CanReachEnd(automaton, false);
  std::vector<std::vector<std::int32_t>> result(automaton.rule_starts.size());
  std::vector<std::int32_t> seen(automaton.states.size(), -1);
  for (std::size_t rule = 0; rule < result.size(); ++rule) {
    std::vector<std::int32_t> work = {automaton.rule_starts[rule]};
    seen[Index(work[0])] = static_cast<std::int32_t>(rule);
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (const Edge& edge : EdgesOf(automaton, Index(work[i]))) {
        if (edge.kind != Edge::Kind::kCall) continue;
        result[rule].push_back(edge.what);
        if (!nullable[Index(automaton.rule_starts[Index(edge.what)])]) continue;
        std::int32_t& mark = seen[Index(edge.target)];
        if (std::exchange(mark, static_cast<std::int32_t>(rule)) != static_cast<std::int32_t>(rule))
          work.push_back(edge.target);
      }
    }
  }
  return result;
}

}  // namespace

Status RemoveDeadEnds(Automaton& automaton) {
  const std::vector<bool> live = CanReachEnd(automaton, true);
  if (!live[Index(automaton.rule_starts[Index(automaton.root)])]) {
    return InvalidArgument("no finite text matches the grammar");
  }
  std::vector<Edge> kept;
  kept.reserve(automaton.edges.size());
  for (std::size_t i = 0; i < automaton.states.size(); ++i) {
    const std::span<const Edge> edges = EdgesOf(automaton, i);
    const auto first = static_cast<std::int32_t>(kept.size());
    Automaton::State& state = automaton.states[i];
    state.shifts = false;
    state.calls = false;
    for (const Edge& edge : edges) {
      const bool call = edge.kind == Edge::Kind::kCall;
      if (!live[Index(edge.target)]) continue;
      if (call && !live[Index(automaton.rule_starts[Index(edge.what)])]) continue;
      (call ? state.calls : state.shifts) = true;
      kept.push_back(edge);
    }
    state.first_edge = first;
    state.end_edge = static_cast<std::int32_t>(kept.size());
  }
  automaton.edges = std::move(kept);
  return Ok();
}

Status CheckLeftRecursion(const Automaton& automaton) {
  const auto calls = FirstCalls(automaton);
  enum Color : std::uint8_t { kNew, kOpen, kDone };
  std::vector<Color> colors(calls.size(), kNew);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // rule, calls that were looked at
  for (std::size_t rule = 0; rule < calls.size(); ++rule) {
    if (colors[rule] != kNew) continue;
    path.emplace_back(rule, 0);
    colors[rule] = kOpen;
    while (!path.empty()) {
      const std::size_t at = path.back().first;
      if (path.back().second == calls[at].size()) {
        colors[at] = kDone;
        path.pop_back();
        continue;
      }
      const std::size_t next = Index(calls[at][path.back().second++]);
      if (colors[next] == kOpen) {
        return InvalidArgument("a rule of the grammar can begin with itself (left recursion)");
      }
      if (colors[next] == kDone) continue;
      colors[next] = kOpen;
      path.emplace_back(next, 0);
    }
  }
  return Ok();
}

}  // namespace glint::text
