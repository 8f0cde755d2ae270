// SPDX-License-Identifier: Apache-2.0
// Which tokens may follow a state of an automaton, found once and kept.
//
// What can be said without knowing the stack: a token that stays within the state's frame and above
// is certain. Where a token's bytes reach the end of the frame, what follows depends on the stack;
// such nodes of the trie are the exits, and the reader walks on from them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "text/internal/automaton.h"
#include "text/internal/stepper.h"
#include "text/internal/token_trie.h"

namespace glint::text {

struct TokenSet {
  std::vector<std::uint32_t> bits;   // one a token, [words]; or none, when there are few tokens:
  std::vector<std::int32_t> tokens;  // ids
  std::vector<std::int32_t> exits;   // nodes with children, ascending
};

// Sets the bits of `set` in `mask`, [words].
void AddTokens(const TokenSet& set, std::uint32_t* mask);

// Walks the trie below nodes, one place of the text to the next. Thread-compatible.
class TrieWalker {
 public:
  TrieWalker(const TokenTrie& trie, const Automaton& automaton, StackArena& arena)
      : trie_(trie), automaton_(automaton), stepper_(automaton, arena) {}

  // Appends the tokens below `node` that are possible from `start`, and, if `exits` is not null,
  // the nodes with children where the frame at the bottom may end. Takes its steps from `work`;
  // when they are used up (below zero), what is missing counts as impossible.
  void Walk(std::int32_t node, const Places& start, std::vector<std::int32_t>& tokens,
            std::vector<std::int32_t>* exits, std::int64_t& work);

 private:
  // Where each byte leads from a state: to a state that calls nothing (twice its id, plus 1 if it
  // is final); nowhere; or it takes a Stepper to say.
  static constexpr std::int32_t kNowhere = -1;
  static constexpr std::int32_t kComplex = -2;
  using Row = std::array<std::int32_t, 256>;

  // Steps to a level from the one before. False: nothing is there.
  bool Step(std::size_t level, std::uint8_t byte);
  const Row& RowOf(std::int32_t state);

  const TokenTrie& trie_;
  const Automaton& automaton_;
  Stepper stepper_;
  // The place after the bytes down to a level is most of the time one state, and all else is as in
  // start_: then it is in states_. Otherwise that is kComplex, and places_ counts.
  std::vector<std::int32_t> states_;
  std::vector<Places> places_;
  Place start_;
  bool ended_ = false;                      // after the last step
  std::vector<std::unique_ptr<Row>> rows_;  // by state; null: not needed so far
};

// The sets of an automaton's states. Any thread may call; a set is found outside of locks, so two
// threads may find the same one, and one of them is kept.
class TokenSets {
 public:
  // All three must outlive this, as must `prelude` (null: none), which knows the sets of the states
  // below its automaton's size.
  TokenSets(const TokenTrie& trie, const Automaton& automaton, std::int64_t words,
            TokenSets* prelude);

  // Of a place with these counters on top.
  std::shared_ptr<const TokenSet> Get(std::int32_t state, Counters counters);

  // Finds sets that are not there yet, in the order of the states, for `work` steps. False when one
  // of them alone takes too many: with such a grammar no mask is in time.
  [[nodiscard]] bool FindAhead(std::int64_t work);

  [[nodiscard]] const TokenTrie& trie() const { return trie_; }

 private:
  struct Key {
    std::int32_t state = 0;
    Counters counters;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  // What a token asks of the counters of a frame of counted text.
  struct CountedToken {
    std::int32_t room = 0;  // as many counted edges
    std::int32_t need = 0;  // at most that may be missing before
    std::int32_t id = 0;    // of a token or a node
  };
  struct CountedText {
    std::vector<CountedToken> tokens;  // by ascending room
    std::vector<CountedToken> enders;  // those of them whose need is limited
    std::vector<std::uint32_t> bits;   // of all of them
    std::vector<CountedToken> exits;   // nodes, ascending
  };

  // Takes its steps from `work`, as TrieWalker does.
  TokenSet Find(TrieWalker& walker, std::int32_t state, Counters counters, std::int64_t& work);
  TokenSet FindByBase(std::int32_t state, std::int64_t& work);
  TokenSet FindCounted(std::int32_t state, Counters counters);
  std::shared_ptr<const CountedText> CountedTextOf(std::int32_t state);
  [[nodiscard]] TokenSet Pack(std::vector<std::int32_t> tokens,
                              std::vector<std::int32_t> exits) const;

  const TokenTrie& trie_;
  const Automaton& automaton_;
  std::int64_t words_;
  TokenSets* prelude_;
  std::int32_t prelude_states_ = 0;
  std::shared_mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<const TokenSet>, KeyHash> sets_;
  std::unordered_map<std::int32_t, std::shared_ptr<const CountedText>> counted_;
  std::int64_t kept_bytes_ = 0;
};

}  // namespace glint::text
