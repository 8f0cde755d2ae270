// SPDX-License-Identifier: Apache-2.0
// One step of an automaton with calls: from the places where a text may be, over a byte or an added
// token, to the places where it may be then.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/internal/automaton.h"
#include "text/internal/stack_arena.h"

namespace glint::text {

struct Place {
  std::int32_t state = 0;
  std::int32_t stack = 0;
  Counters counters;  // of the frame on top
  bool operator==(const Place&) const = default;
};

// All readings of a text so far. None of the places is twice there.
struct Places {
  std::vector<Place> all;
  bool ended = false;  // the frame at the bottom may end here

  void Clear() {
    all.clear();
    ended = false;
  }
  [[nodiscard]] bool dead() const { return all.empty() && !ended; }
};

// More readings than that at once are given up, all of them: the text is then refused.
inline constexpr std::size_t kMaxPlaces = 1'000;

// Holds references to both; thread-compatible.
class Stepper {
 public:
  Stepper(const Automaton& automaton, StackArena& arena) : automaton_(automaton), arena_(arena) {}

  // `out` is replaced; it must not be `from`. Stacks are pushed to the arena.
  void Start(std::int32_t rule, Places& out);
  void OverByte(std::span<const Place> from, std::uint8_t byte, Places& out);
  void OverToken(std::span<const Place> from, std::int32_t token, Places& out);

  // Work done so far, in steps of some nanoseconds.
  [[nodiscard]] std::int64_t work() const { return work_steps_; }

  // Marks the bytes that a state has edges for.
  void MarkBytes(std::int32_t state, std::array<bool, 256>& bytes) const;

  // Where the readings go on whose frame on top ends: from `places`, each at the end of a rule.
  void Return(std::span<const Place> places, Places& out);

 private:
  // Adds a place and all that follows from it without input. False when that is too much; then
  // `out` is empty.
  bool Add(const Place& place, Places& out);
  void Call(const Place& place, const Edge& edge);
  void Over(std::span<const Place> from, Edge::Kind kind, std::int32_t symbol, Places& out);

  const Automaton& automaton_;
  StackArena& arena_;
  std::vector<Place> work_;  // of Add
  std::int64_t work_steps_ = 0;
};

// What an edge makes of its frame's counters. False: they forbid it.
inline bool Take(std::uint8_t flags, Counters& counters) {
  if (flags == 0) return true;
  if ((flags & (Edge::kCount | Edge::kAsksRoom)) != 0 && counters.room == 0) return false;
  if ((flags & Edge::kAsksEnough) != 0 && counters.need > 0) return false;
  if ((flags & Edge::kCount) != 0) {
    if (counters.room != Counters().room) --counters.room;
    if (counters.need > 0) --counters.need;
  }
  return true;
}

}  // namespace glint::text
