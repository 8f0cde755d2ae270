// SPDX-License-Identifier: Apache-2.0
#include "text/internal/automaton_check.h"

#include <algorithm>
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

std::size_t StartOf(const Automaton& automaton, const Edge& call) {
  return Index(automaton.rule_starts[Index(call.what)]);
}

// A least fixed point over states: those from which an end is reachable when only edges of bytes or
// tokens count if `with_shifts`, and a call counts when its rule's start is in the set.
class EndSearch {
 public:
  EndSearch(const Automaton& automaton, bool with_shifts)
      : automaton_(automaton),
        with_shifts_(with_shifts),
        waiting_(automaton.states.size()),
        reached_(automaton.states.size(), false) {}

  std::vector<bool> Run() && {
    for (std::size_t state = 0; state < waiting_.size(); ++state) AddState(state);
    for (std::size_t i = 0; i < work_.size(); ++i) {
      for (const std::size_t state : waiting_[work_[i]]) {
        if (!reached_[state] && LeadsOn(state)) Reach(state);
      }
    }
    return std::move(reached_);
  }

 private:
  void AddState(std::size_t state) {
    for (const Edge& edge : EdgesOf(automaton_, state)) {
      const bool call = edge.kind == Edge::Kind::kCall;
      if (call) waiting_[StartOf(automaton_, edge)].push_back(state);
      if (call || with_shifts_) waiting_[Index(edge.target)].push_back(state);
    }
    if (automaton_.states[state].final) Reach(state);
  }

  void Reach(std::size_t state) {
    reached_[state] = true;
    work_.push_back(state);
  }

  [[nodiscard]] bool LeadsOn(std::size_t state) const {
    const std::span<const Edge> edges = EdgesOf(automaton_, state);
    return std::any_of(edges.begin(), edges.end(), [this](const Edge& edge) {
      if (!reached_[Index(edge.target)]) return false;
      return edge.kind == Edge::Kind::kCall ? reached_[StartOf(automaton_, edge)] : with_shifts_;
    });
  }

  const Automaton& automaton_;
  bool with_shifts_;
  // Of a state: those that have to be looked at again once it is reached, for they have an edge to
  // it or call the rule that starts with it.
  std::vector<std::vector<std::size_t>> waiting_;
  std::vector<bool> reached_;
  std::vector<std::size_t> work_;
};

// The rules that each rule can call before anything is consumed.
std::vector<std::vector<std::int32_t>> FirstCalls(const Automaton& automaton) {
  const std::vector<bool> nullable = EndSearch(automaton, false).Run();
  std::vector<std::vector<std::int32_t>> result(automaton.rule_starts.size());
  std::vector<std::int32_t> seen(automaton.states.size(), -1);
  for (std::size_t rule = 0; rule < result.size(); ++rule) {
    std::vector<std::int32_t> work = {automaton.rule_starts[rule]};
    seen[Index(work[0])] = static_cast<std::int32_t>(rule);
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (const Edge& edge : EdgesOf(automaton, Index(work[i]))) {
        if (edge.kind != Edge::Kind::kCall) continue;
        result[rule].push_back(edge.what);
        if (!nullable[StartOf(automaton, edge)]) continue;
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
  const std::vector<bool> live = EndSearch(automaton, true).Run();
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
      if (call && !live[StartOf(automaton, edge)]) continue;
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
