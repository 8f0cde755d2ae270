// SPDX-License-Identifier: Apache-2.0
#include "text/internal/stepper.h"

#include <algorithm>

namespace glint::text {
namespace {

std::span<const Edge> EdgesOf(const Automaton& automaton, const Automaton::State& state) {
  return {automaton.edges.data() + state.first_edge,
          static_cast<std::size_t>(state.end_edge - state.first_edge)};
}

}  // namespace

void Stepper::Start(std::int32_t rule, Places& out) {
  out.Clear();
  Add({.state = automaton_.rule_starts[static_cast<std::size_t>(rule)]}, out);
}

void Stepper::OverByte(std::span<const Place> from, std::uint8_t byte, Places& out) {
  Over(from, Edge::Kind::kBytes, byte, out);
}

void Stepper::OverToken(std::span<const Place> from, std::int32_t token, Places& out) {
  Over(from, Edge::Kind::kToken, token, out);
}

void Stepper::Over(std::span<const Place> from, Edge::Kind kind, std::int32_t symbol, Places& out) {
  out.Clear();
  for (const Place& place : from) {
    const Automaton::State& state = automaton_.states[static_cast<std::size_t>(place.state)];
    work_steps_ += 1 + (state.end_edge - state.first_edge) / 4;
    if (!state.shifts) continue;
    for (const Edge& edge : EdgesOf(automaton_, state)) {
      if (edge.kind != kind) continue;
      const bool fits = kind == Edge::Kind::kBytes ? edge.low <= symbol && symbol <= edge.high
                                                   : edge.what == symbol;
      if (!fits) continue;
      Place next = {edge.target, place.stack, place.counters};
      if (Take(edge.flags, next.counters) && !Add(next, out)) return;
    }
  }
}

void Stepper::Return(std::span<const Place> places, Places& out) {
  out.Clear();
  for (const Place& place : places) {
    if (place.stack == 0) {
      out.ended = true;
      continue;
    }
    const Frame frame = arena_.Top(place.stack);
    if (!Add({frame.return_state, frame.parent, frame.counters}, out)) return;
  }
}

void Stepper::MarkBytes(std::int32_t state, std::array<bool, 256>& bytes) const {
  const Automaton::State& s = automaton_.states[static_cast<std::size_t>(state)];
  if (!s.shifts) return;
  for (const Edge& edge : EdgesOf(automaton_, s)) {
    if (edge.kind != Edge::Kind::kBytes) continue;
    std::fill(bytes.begin() + edge.low, bytes.begin() + edge.high + 1, true);
  }
}

bool Stepper::Add(const Place& place, Places& out) {
  const std::size_t before = work_.size();
  work_.push_back(place);
  while (work_.size() > before) {
    const Place at = work_.back();
    work_.pop_back();
    work_steps_ += 1 + static_cast<std::int64_t>(out.all.size()) / 8;
    if (std::find(out.all.begin(), out.all.end(), at) != out.all.end()) continue;
    if (out.all.size() >= kMaxPlaces) {
      work_.resize(before);
      out.Clear();
      return false;
    }
    const Automaton::State& state = automaton_.states[static_cast<std::size_t>(at.state)];
    out.all.push_back(at);
    if (state.calls) {
      for (const Edge& edge : EdgesOf(automaton_, state)) {
        if (edge.kind == Edge::Kind::kCall) Call(at, edge);
      }
    }
    if (!state.final) continue;
    if (at.stack == 0) {
      out.ended = true;
    } else {
      const Frame& frame = arena_.Top(at.stack);
      work_.push_back({frame.return_state, frame.parent, frame.counters});
    }
  }
  return true;
}

void Stepper::Call(const Place& place, const Edge& edge) {
  Counters counters = place.counters;
  if (!Take(edge.flags, counters)) return;
  const Automaton::State& target = automaton_.states[static_cast<std::size_t>(edge.target)];
  // A frame that would only end again is left out: right recursion runs in constant space.
  const bool tail = target.final && target.first_edge == target.end_edge;
  const std::int32_t stack = tail ? place.stack : arena_.Push({edge.target, place.stack, counters});
  work_.push_back(
      {automaton_.rule_starts[static_cast<std::size_t>(edge.what)], stack, edge.counters});
}

}  // namespace glint::text
