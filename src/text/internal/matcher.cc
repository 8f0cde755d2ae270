// SPDX-License-Identifier: Apache-2.0
// The matchers of text/grammar_compiler.h.
#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "text/grammar_compiler.h"
#include "text/internal/compiled_grammar.h"
#include "text/internal/stepper.h"
#include "text/internal/token_sets.h"

namespace glint::text {
namespace {

// Walks from exits, per mask and state: some milliseconds. Grammars that people write take
// microseconds.
constexpr std::int64_t kMaxExitWork = 1'000'000;

void SetBit(std::span<std::uint32_t> mask, std::int32_t token) {
  mask[static_cast<std::size_t>(token / 32)] |= std::uint32_t{1} << (token % 32);
}

class AutomatonMatcher : public GrammarMatcher {
 public:
  AutomatonMatcher(std::shared_ptr<const CompiledGrammar> grammar,
                   std::vector<std::int32_t> end_tokens)
      : grammar_(std::move(grammar)),
        parts_(grammar_->parts()),
        tables_(parts_.table->tables()),
        end_tokens_(std::move(end_tokens)),
        stepper_(parts_.automaton, arena_),
        walker_(tables_.trie, parts_.automaton, arena_) {
    for (const std::int32_t token : end_tokens_) {
      GLINT_CHECK(token >= 0 && token < tables_.vocabulary, "an end token of the vocabulary");
    }
    stepper_.Start(parts_.automaton.root, current_);
    Record(false);
  }

  void FillMasks(std::span<const std::int32_t> draft, std::span<std::uint32_t> masks) override {
    const auto words = static_cast<std::size_t>(tables_.words());
    GLINT_CHECK(masks.size() == (draft.size() + 1) * words, "one mask for each position");
    std::fill(masks.begin(), masks.end(), 0);
    std::int64_t accepted = 0;
    for (std::size_t i = 0;; ++i) {
      FillMask(masks.subspan(i * words, words));
      if (i == draft.size() || !Accept(draft[i])) break;
      ++accepted;
    }
    Rollback(accepted);
  }

  [[nodiscard]] bool Accept(std::int32_t token) override {
    const Position& here = positions_.back();
    if (here.finished) return false;
    if (std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end()) {
      if (!here.ended) return false;
      current_.Clear();
      Record(true);
      return true;
    }
    const std::int32_t arena_size = arena_.size();
    Advance(token);
    if (current_.dead()) {
      arena_.Truncate(arena_size);
      return false;
    }
    Record(false);
    return true;
  }

  void Rollback(std::int64_t count) override {
    GLINT_CHECK(count >= 0 && count < static_cast<std::int64_t>(positions_.size()),
                "tokens to take back");
    positions_.resize(positions_.size() - static_cast<std::size_t>(count));
    places_.resize(positions_.back().end_place);
    arena_.Truncate(positions_.back().arena_size);
  }

  [[nodiscard]] bool CanEnd() const override {
    return positions_.back().ended || positions_.back().finished;
  }

 private:
  // After a token: a part of places_, and what else there is to say.
  struct Position {
    std::size_t first_place = 0;
    std::size_t end_place = 0;
    std::int32_t arena_size = 1;
    bool ended = false;     // the text may end here
    bool finished = false;  // an end token was accepted
  };

  [[nodiscard]] std::span<const Place> Here() const {
    const Position& here = positions_.back();
    return std::span(places_).subspan(here.first_place, here.end_place - here.first_place);
  }

  // Keeps of current_ the places that something can follow.
  void Record(bool finished) {
    Position position;
    position.first_place = places_.size();
    for (const Place& place : current_.all) {
      if (parts_.automaton.states[static_cast<std::size_t>(place.state)].shifts) {
        places_.push_back(place);
      }
    }
    position.end_place = places_.size();
    position.arena_size = arena_.size();
    position.ended = current_.ended;
    position.finished = finished;
    positions_.push_back(position);
  }

  // Leaves in current_ where the token leads.
  void Advance(std::int32_t token) {
    if (tables_.IsAdded(token)) {
      stepper_.OverToken(Here(), token, current_);
      return;
    }
    const std::string_view bytes = tables_.Bytes(token);
    std::span<const Place> from = Here();
    current_.Clear();
    for (const char byte : bytes) {
      stepper_.OverByte(from, static_cast<std::uint8_t>(byte), current_);
      if (current_.dead()) return;
      std::swap(current_, before_);
      from = before_.all;
    }
    if (!bytes.empty()) std::swap(current_, before_);
  }

  void FillMask(std::span<std::uint32_t> mask) {
    const Position& here = positions_.back();
    if (here.finished) return;
    if (here.ended) {
      for (const std::int32_t token : end_tokens_) SetBit(mask, token);
    }
    group_.assign(Here().begin(), Here().end());
    std::sort(group_.begin(), group_.end(), [](const Place& a, const Place& b) {
      return std::tie(a.state, a.counters.need, a.counters.room) <
             std::tie(b.state, b.counters.need, b.counters.room);
    });
    for (std::size_t begin = 0; begin < group_.size();) {
      std::size_t end = begin + 1;
      while (end < group_.size() && group_[end].state == group_[begin].state &&
             group_[end].counters == group_[begin].counters) {
        ++end;
      }
      const auto set = parts_.sets->Get(group_[begin].state, group_[begin].counters);
      AddTokens(*set, mask.data());
      if (!set->exits.empty()) FillExits(std::span(group_).subspan(begin, end - begin), *set, mask);
      begin = end;
    }
  }

  // From each exit on, in what the stacks below go on with.
  void FillExits(std::span<const Place> places, const TokenSet& set,
                 std::span<std::uint32_t> mask) {
    const std::int32_t arena_size = arena_.size();
    stepper_.Return(places, current_);
    if (!current_.all.empty()) {
      tokens_.clear();
      std::int64_t work = kMaxExitWork;
      for (const std::int32_t exit : set.exits) {
        if (work >= 0) walker_.Walk(exit, current_, tokens_, nullptr, work);
      }
      for (const std::int32_t token : tokens_) SetBit(mask, token);
    }
    arena_.Truncate(arena_size);
  }

  std::shared_ptr<const CompiledGrammar> grammar_;
  const CompiledGrammarParts& parts_;
  const TokenTableTables& tables_;
  std::vector<std::int32_t> end_tokens_;
  StackArena arena_;
  Stepper stepper_;
  TrieWalker walker_;
  std::vector<Place> places_;
  std::vector<Position> positions_;  // the start, then one a token
  // Kept to save allocations:
  Places current_;
  Places before_;
  std::vector<Place> group_;
  std::vector<std::int32_t> tokens_;
};

class ArmedMatcher : public GrammarMatcher {
 public:
  ArmedMatcher(std::int32_t token, std::int64_t vocabulary, std::vector<std::int32_t> forbidden,
               std::unique_ptr<GrammarMatcher> inner)
      : token_(token),
        vocabulary_(vocabulary),
        forbidden_(std::move(forbidden)),
        inner_(std::move(inner)) {
    for (const std::int32_t id : forbidden_) {
      GLINT_CHECK(id >= 0 && id < vocabulary && id != token, "a token to forbid");
    }
  }

  void FillMasks(std::span<const std::int32_t> draft, std::span<std::uint32_t> masks) override {
    const auto words = static_cast<std::size_t>((vocabulary_ + 31) / 32);
    GLINT_CHECK(masks.size() == (draft.size() + 1) * words, "one mask for each position");
    std::size_t free = 0;  // positions before the grammar is armed
    bool allowed = true;
    for (bool armed = inner_tokens_ >= 0; !armed && allowed && free <= draft.size(); ++free) {
      FillFree(masks.subspan(free * words, words));
      if (free == draft.size()) continue;
      armed = draft[free] == token_;
      allowed = IsFree(draft[free]);
    }
    const auto rest = masks.subspan(free * words);
    if (!allowed || rest.empty()) {
      std::fill(rest.begin(), rest.end(), 0);
    } else {
      inner_->FillMasks(draft.subspan(std::min(free, draft.size())), rest);
    }
  }

  [[nodiscard]] bool Accept(std::int32_t token) override {
    if (inner_tokens_ >= 0) {
      if (!inner_->Accept(token)) return false;
      ++inner_tokens_;
      return true;
    }
    if (!IsFree(token)) return false;
    ++free_tokens_;
    if (token == token_) inner_tokens_ = 0;
    return true;
  }

  void Rollback(std::int64_t count) override {
    GLINT_CHECK(count >= 0 && count <= free_tokens_ + std::max<std::int64_t>(inner_tokens_, 0),
                "tokens to take back");
    if (inner_tokens_ >= 0) {
      const std::int64_t inner = std::min(count, inner_tokens_);
      inner_->Rollback(inner);
      inner_tokens_ -= inner;
      count -= inner;
      if (count > 0) inner_tokens_ = -1;
    }
    free_tokens_ -= count;
  }

  [[nodiscard]] bool CanEnd() const override { return inner_tokens_ >= 0 && inner_->CanEnd(); }

 private:
  [[nodiscard]] bool IsFree(std::int32_t token) const {
    return token >= 0 && token < vocabulary_ &&
           std::find(forbidden_.begin(), forbidden_.end(), token) == forbidden_.end();
  }

  void FillFree(std::span<std::uint32_t> mask) const {
    std::fill(mask.begin(), mask.end(), ~std::uint32_t{0});
    const auto spare = static_cast<std::uint32_t>(vocabulary_ % 32);
    if (spare != 0) mask.back() = (std::uint32_t{1} << spare) - 1;
    for (const std::int32_t token : forbidden_) {
      mask[static_cast<std::size_t>(token / 32)] &= ~(std::uint32_t{1} << (token % 32));
    }
  }

  std::int32_t token_;
  std::int64_t vocabulary_;
  std::vector<std::int32_t> forbidden_;
  std::unique_ptr<GrammarMatcher> inner_;
  std::int64_t free_tokens_ = 0;    // accepted until the grammar was armed, that token included
  std::int64_t inner_tokens_ = -1;  // accepted since; -1: not armed
};

}  // namespace

std::unique_ptr<GrammarMatcher> MakeMatcher(std::shared_ptr<const CompiledGrammar> grammar,
                                            std::vector<std::int32_t> end_tokens) {
  return std::make_unique<AutomatonMatcher>(std::move(grammar), std::move(end_tokens));
}

std::unique_ptr<GrammarMatcher> ArmedAfter(std::int32_t token, std::int64_t vocabulary,
                                           std::vector<std::int32_t> forbidden,
                                           std::unique_ptr<GrammarMatcher> inner) {
  return std::make_unique<ArmedMatcher>(token, vocabulary, std::move(forbidden), std::move(inner));
}

}  // namespace glint::text
