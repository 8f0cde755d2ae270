// SPDX-License-Identifier: Apache-2.0
// The compiled form of a grammar: rules as automata over bytes and added tokens that call one
// another. decisions/0007-grammar.md has the idea.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace glint::text {

// A frame's counters: how many counted edges must still be taken, and how many may be.
struct Counters {
  std::int32_t need = 0;
  std::int32_t room = std::numeric_limits<std::int32_t>::max();  // this value: no limit
  bool operator==(const Counters&) const = default;
};

struct Edge {
  enum class Kind : std::uint8_t { kBytes, kToken, kCall };
  // What the edge asks of its frame's counters. kCount takes from both; it asks for room.
  enum Flag : std::uint8_t { kCount = 1, kAsksRoom = 2, kAsksEnough = 4 };

  Kind kind = Kind::kBytes;
  std::uint8_t flags = 0;
  std::uint8_t low = 0;     // kBytes
  std::uint8_t high = 0;    // kBytes, included
  std::int32_t target = 0;  // where to go on, after a call: when the rule has ended
  std::int32_t what = 0;    // kToken: its id; kCall: the rule
  Counters counters;        // kCall: of the new frame
};

// The automaton of one rule, by itself. Targets below zero are states of the prelude: ~target.
struct Fragment {
  struct State {
    std::vector<Edge> edges;
    bool final = false;
    // A state of the prelude that allows all that this one does, or -1. The masks of such states
    // are made by taking away from the other's.
    std::int32_t base = -1;
  };
  std::vector<State> states;  // the first is the start; none: matches nothing
};

struct Automaton {
  struct State {
    std::int32_t first_edge = 0;
    std::int32_t end_edge = 0;
    std::int32_t base = -1;     // as in Fragment
    bool final = false;         // the rule may end here
    bool shifts = false;        // has edges of bytes or tokens
    bool calls = false;         // has edges that call
    bool counted_text = false;  // of a deterministic rule without calls that counts
  };
  std::vector<State> states;
  std::vector<Edge> edges;
  std::vector<std::int32_t> rule_starts;  // by rule
  std::int32_t root = 0;                  // the rule that a text starts with
};

// Work that a compilation may still do, in steps of about ten nanoseconds. Counted rather than
// timed: the same grammar is always accepted or always refused.
class WorkBudget {
 public:
  explicit WorkBudget(std::int64_t steps) : left_(steps) {}
  // False when it is used up.
  [[nodiscard]] bool Spend(std::int64_t steps) {
    left_ -= steps;
    return left_ >= 0;
  }
  [[nodiscard]] bool empty() const { return left_ < 0; }

 private:
  std::int64_t left_;
};

}  // namespace glint::text
