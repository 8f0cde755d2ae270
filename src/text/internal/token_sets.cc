// SPDX-License-Identifier: Apache-2.0
#include "text/internal/token_sets.h"

#include <algorithm>
#include <span>
#include <utility>

namespace glint::text {
namespace {

// A set beyond this is found anew each time; a hostile grammar gets slower instead of larger.
constexpr std::int64_t kMaxKeptBytes = 64'000'000;

// For one set: some tenths of a second. Sets of grammars that people write take a tenth of it.
constexpr std::int64_t kMaxSetWork = 20'000'000;

// A list of ids takes as much room as a set of bits when it has as many as that has words.
constexpr std::int64_t kListShare = 4;

std::span<const Edge> EdgesOf(const Automaton& automaton, std::int32_t state) {
  const Automaton::State& s = automaton.states[static_cast<std::size_t>(state)];
  return {automaton.edges.data() + s.first_edge,
          static_cast<std::size_t>(s.end_edge - s.first_edge)};
}

const Edge* ByteEdge(const Automaton& automaton, std::int32_t state, std::uint8_t byte) {
  for (const Edge& edge : EdgesOf(automaton, state)) {
    if (edge.kind == Edge::Kind::kBytes && edge.low <= byte && byte <= edge.high) return &edge;
  }
  return nullptr;
}

void SetBits(std::span<const std::int32_t> tokens, std::uint32_t* bits) {
  for (const std::int32_t token : tokens) bits[token / 32] |= std::uint32_t{1} << (token % 32);
}

}  // namespace

void AddTokens(const TokenSet& set, std::uint32_t* mask) {
  SetBits(set.tokens, mask);
  for (std::size_t i = 0; i < set.bits.size(); ++i) mask[i] |= set.bits[i];
}

const TrieWalker::Row& TrieWalker::RowOf(std::int32_t state) {
  std::unique_ptr<Row>& row = rows_[static_cast<std::size_t>(state)];
  if (row != nullptr) return *row;
  row = std::make_unique<Row>();
  row->fill(kNowhere);
  for (const Edge& edge : EdgesOf(automaton_, state)) {
    if (edge.kind != Edge::Kind::kBytes) continue;
    const Automaton::State& to = automaton_.states[static_cast<std::size_t>(edge.target)];
    const bool simple = edge.flags == 0 && !to.calls;
    for (std::size_t byte = edge.low; byte <= edge.high; ++byte) {
      std::int32_t& target = (*row)[byte];
      target = simple && target == kNowhere ? 2 * edge.target + (to.final ? 1 : 0) : kComplex;
    }
  }
  return *row;
}

bool TrieWalker::Step(std::size_t level, std::uint8_t byte) {
  const std::int32_t from = states_[level - 1];
  if (from >= 0) {
    const std::unique_ptr<Row>& row = rows_[static_cast<std::size_t>(from)];
    const std::int32_t target = row != nullptr ? (*row)[byte] : RowOf(from)[byte];
    if (target == kNowhere) return false;
    ended_ = (target & 1) != 0;
    // Where a rule ends within a frame that goes on, that is one more place.
    if (target >= 0 && (!ended_ || start_.stack == 0)) {
      states_[level] = target / 2;
      return true;
    }
    places_[level - 1].Clear();
    places_[level - 1].all.push_back({from, start_.stack, start_.counters});
  }
  Places& here = places_[level];
  stepper_.OverByte(places_[level - 1].all, byte, here);
  ended_ = here.ended;
  states_[level] = kComplex;
  if (here.all.size() == 1) {
    const Place& place = here.all.front();
    const Automaton::State& state = automaton_.states[static_cast<std::size_t>(place.state)];
    if (place.stack == start_.stack && place.counters == start_.counters && !state.calls &&
        (!state.final || start_.stack == 0)) {
      states_[level] = place.state;
    }
  }
  return !here.dead();
}

void TrieWalker::Walk(std::int32_t node, const Places& start, std::vector<std::int32_t>& tokens,
                      std::vector<std::int32_t>* exits, std::int64_t& work) {
  const std::int32_t top = trie_.depth(node);
  const std::int32_t end = trie_.End(node);
  rows_.resize(automaton_.states.size());
  places_.resize(static_cast<std::size_t>(trie_.max_depth()) + 1);
  states_.resize(places_.size());
  places_[0] = start;
  states_[0] = kComplex;
  std::array<bool, 256> possible{};  // as first byte
  for (const Place& place : start.all) stepper_.MarkBytes(place.state, possible);
  if (!start.all.empty()) start_ = start.all.front();
  if (start.all.size() == 1 && !automaton_.states[static_cast<std::size_t>(start_.state)].calls) {
    states_[0] = start_.state;
  }
  const std::int64_t before = stepper_.work();
  // Tokens are possible up to the next node that is not; they stand in the order of the nodes.
  std::int32_t run = trie_.FirstToken(node + 1);
  const auto take_run = [&](std::int32_t stop) {
    const auto all = trie_.all_tokens();
    tokens.insert(tokens.end(), all.begin() + run, all.begin() + stop);
  };
  std::int32_t at = node + 1;
  while (at < end && work >= stepper_.work() - before) {
    --work;
    const auto level = static_cast<std::size_t>(trie_.depth(at) - top);
    const std::uint8_t byte = trie_.byte(at);
    if ((level == 1 && !possible[byte]) || !Step(level, byte)) {
      take_run(trie_.FirstToken(at));
      at = trie_.End(at);
      run = trie_.FirstToken(at);
      continue;
    }
    if (ended_ && exits != nullptr && trie_.HasChildren(at)) exits->push_back(at);
    ++at;
    if (states_[level] == kComplex && places_[level].all.empty()) {
      take_run(trie_.FirstToken(at));
      at = trie_.End(at - 1);
      run = trie_.FirstToken(at);
    }
  }
  take_run(trie_.FirstToken(at));
  work -= stepper_.work() - before;
}

TokenSets::TokenSets(const TokenTrie& trie, const Automaton& automaton, std::int64_t words,
                     TokenSets* prelude)
    : trie_(trie), automaton_(automaton), words_(words), prelude_(prelude) {
  if (prelude != nullptr) {
    prelude_states_ = static_cast<std::int32_t>(prelude->automaton_.states.size());
  }
}

std::shared_ptr<const TokenSet> TokenSets::Get(std::int32_t state, Counters counters) {
  if (state < prelude_states_) return prelude_->Get(state, counters);
  // A token has at most as many counted edges as bytes, so more room or need makes no difference.
  const std::int32_t most = trie_.max_depth() + 1;
  counters.need = std::min(counters.need, most);
  counters.room = std::min(counters.room, most);
  const Key key = {state, counters};
  {
    const std::shared_lock lock(mutex_);
    const auto at = sets_.find(key);
    if (at != sets_.end()) return at->second;
  }
  std::int64_t work = kMaxSetWork;
  StackArena arena;
  TrieWalker walker(trie_, automaton_, arena);
  auto set = std::make_shared<const TokenSet>(Find(walker, state, counters, work));
  const auto bytes = static_cast<std::int64_t>(
      4 * (set->bits.size() + set->tokens.size() + set->exits.size()) + 200);
  const std::unique_lock lock(mutex_);
  if (kept_bytes_ + bytes > kMaxKeptBytes) return set;
  const auto [at, added] = sets_.try_emplace(key, set);
  if (added) kept_bytes_ += bytes;
  return at->second;
}

bool TokenSets::FindAhead(std::int64_t work) {
  const std::int32_t most = trie_.max_depth() + 1;
  const auto count = static_cast<std::int32_t>(automaton_.states.size());
  StackArena arena;
  TrieWalker walker(trie_, automaton_, arena);
  for (std::int32_t state = prelude_states_; state < count && work > 0; ++state) {
    const Automaton::State& s = automaton_.states[static_cast<std::size_t>(state)];
    if (!s.shifts) continue;
    const Key key = {state, {.need = 0, .room = most}};
    {
      const std::shared_lock lock(mutex_);
      if (sets_.contains(key)) continue;
    }
    std::int64_t left = kMaxSetWork;
    auto set = std::make_shared<const TokenSet>(Find(walker, state, key.counters, left));
    if (left < 0) return false;
    work -= kMaxSetWork - left + 500;  // some for the set itself
    const std::unique_lock lock(mutex_);
    kept_bytes_ += static_cast<std::int64_t>(4 * (set->bits.size() + set->tokens.size()) + 200);
    sets_.try_emplace(key, std::move(set));
    if (kept_bytes_ > kMaxKeptBytes) break;
  }
  return true;
}

TokenSet TokenSets::Find(TrieWalker& walker, std::int32_t state, Counters counters,
                         std::int64_t& work) {
  const Automaton::State& s = automaton_.states[static_cast<std::size_t>(state)];
  if (s.base >= 0) return FindByBase(state, work);
  if (s.counted_text) {
    work -= trie_.size();
    return FindCounted(state, counters);
  }
  Places start;
  start.all.push_back({.state = state, .counters = counters});
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> exits;
  walker.Walk(0, start, tokens, &exits, work);
  for (const Edge& edge : EdgesOf(automaton_, state)) {
    Counters rest = counters;
    if (edge.kind == Edge::Kind::kToken && Take(edge.flags, rest)) tokens.push_back(edge.what);
  }
  return Pack(std::move(tokens), std::move(exits));
}

// Follows both automata as long as they differ. Where only the base goes on, it loses the tokens.
TokenSet TokenSets::FindByBase(std::int32_t state, std::int64_t& work) {
  const std::int32_t base = automaton_.states[static_cast<std::size_t>(state)].base;
  const std::shared_ptr<const TokenSet> all = Get(base, {});
  TokenSet result = *all;
  if (result.bits.empty()) {
    result.bits.assign(static_cast<std::size_t>(words_), 0);
    SetBits(result.tokens, result.bits.data());
    result.tokens.clear();
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> lost;  // ranges of nodes
  std::vector<std::pair<std::int32_t, std::int32_t>> levels = {{state, base}};
  for (std::int32_t at = 1; at < trie_.size();) {
    --work;
    const auto level = static_cast<std::size_t>(trie_.depth(at));
    const auto [mine, theirs] = levels[level - 1];
    const Edge* my_edge = ByteEdge(automaton_, mine, trie_.byte(at));
    const Edge* their_edge = ByteEdge(automaton_, theirs, trie_.byte(at));
    if (my_edge == nullptr && their_edge != nullptr) {
      lost.emplace_back(at, trie_.End(at));
      for (const std::int32_t token : trie_.TokensBelow(at)) {
        result.bits[static_cast<std::size_t>(token / 32)] &= ~(std::uint32_t{1} << (token % 32));
      }
    }
    if (my_edge == nullptr || their_edge == nullptr || my_edge->target == their_edge->target) {
      at = trie_.End(at);
      continue;
    }
    levels.resize(level);
    levels.emplace_back(my_edge->target, their_edge->target);
    ++at;
  }
  std::erase_if(result.exits, [&lost](std::int32_t exit) {
    const auto after = std::upper_bound(lost.begin(), lost.end(), std::pair(exit, INT32_MAX));
    return after != lost.begin() && exit < std::prev(after)->second;
  });
  return result;
}

// From all tokens, those that ask too much are taken away, or the others put together: whichever
// are fewer.
TokenSet TokenSets::FindCounted(std::int32_t state, Counters counters) {
  const std::shared_ptr<const CountedText> text = CountedTextOf(state);
  const auto end = std::upper_bound(
      text->tokens.begin(), text->tokens.end(), counters.room,
      [](std::int32_t room, const CountedToken& token) { return room < token.room; });
  TokenSet result;
  const auto bit = [](std::int32_t id) { return std::uint32_t{1} << (id % 32); };
  if (end - text->tokens.begin() < text->tokens.end() - end) {
    result.bits.assign(static_cast<std::size_t>(words_), 0);
    for (auto token = text->tokens.begin(); token != end; ++token) {
      result.bits[static_cast<std::size_t>(token->id / 32)] |= bit(token->id);
    }
  } else {
    result.bits = text->bits;
    for (auto token = end; token != text->tokens.end(); ++token) {
      result.bits[static_cast<std::size_t>(token->id / 32)] &= ~bit(token->id);
    }
  }
  if (counters.need > 0) {
    for (const CountedToken& token : text->enders) {
      if (token.need >= counters.need) continue;
      result.bits[static_cast<std::size_t>(token.id / 32)] &= ~bit(token.id);
    }
  }
  for (const CountedToken& exit : text->exits) {
    if (exit.room <= counters.room && counters.need <= exit.need) result.exits.push_back(exit.id);
  }
  for (const Edge& edge : EdgesOf(automaton_, state)) {
    Counters rest = counters;
    if (edge.kind != Edge::Kind::kToken || !Take(edge.flags, rest)) continue;
    result.bits[static_cast<std::size_t>(edge.what / 32)] |= bit(edge.what);
  }
  return result;
}

std::shared_ptr<const TokenSets::CountedText> TokenSets::CountedTextOf(std::int32_t state) {
  {
    const std::shared_lock lock(mutex_);
    const auto at = counted_.find(state);
    if (at != counted_.end()) return at->second;
  }
  struct Level {
    std::int32_t state;
    std::int32_t used;
    std::int32_t need;
  };
  auto text = std::make_shared<CountedText>();
  std::vector<Level> levels = {{state, 0, INT32_MAX}};
  for (std::int32_t at = 1; at < trie_.size();) {
    const auto level = static_cast<std::size_t>(trie_.depth(at));
    Level next = levels[level - 1];
    const Edge* edge = ByteEdge(automaton_, next.state, trie_.byte(at));
    if (edge == nullptr) {
      at = trie_.End(at);
      continue;
    }
    if ((edge->flags & Edge::kAsksEnough) != 0) next.need = std::min(next.need, next.used);
    if ((edge->flags & Edge::kCount) != 0) ++next.used;
    next.state = edge->target;
    for (const std::int32_t id : trie_.Tokens(at)) {
      text->tokens.push_back({next.used, next.need, id});
    }
    if (automaton_.states[static_cast<std::size_t>(next.state)].final && trie_.HasChildren(at)) {
      text->exits.push_back({next.used, next.need, at});
    }
    levels.resize(level);
    levels.push_back(next);
    ++at;
  }
  std::stable_sort(text->tokens.begin(), text->tokens.end(),
                   [](const CountedToken& a, const CountedToken& b) { return a.room < b.room; });
  text->bits.assign(static_cast<std::size_t>(words_), 0);
  for (const CountedToken& token : text->tokens) {
    text->bits[static_cast<std::size_t>(token.id / 32)] |= std::uint32_t{1} << (token.id % 32);
    if (token.need != INT32_MAX) text->enders.push_back(token);
  }
  const std::unique_lock lock(mutex_);
  return counted_.try_emplace(state, std::move(text)).first->second;
}

TokenSet TokenSets::Pack(std::vector<std::int32_t> tokens, std::vector<std::int32_t> exits) const {
  TokenSet result;
  result.exits = std::move(exits);
  result.exits.shrink_to_fit();
  if (static_cast<std::int64_t>(tokens.size()) * kListShare < words_) {
    result.tokens = std::move(tokens);
    result.tokens.shrink_to_fit();
  } else {
    result.bits.assign(static_cast<std::size_t>(words_), 0);
    SetBits(tokens, result.bits.data());
  }
  return result;
}

std::size_t TokenSets::KeyHash::operator()(const Key& key) const {
  auto hash = static_cast<std::uint64_t>(key.state);
  hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(key.counters.need);
  hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(key.counters.room);
  hash ^= hash >> 29;
  return static_cast<std::size_t>(hash * 0xBF58476D1CE4E5B9U);
}

}  // namespace glint::text
