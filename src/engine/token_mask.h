// SPDX-License-Identifier: Apache-2.0
// How the engine asks which tokens a sequence may sample next. The engine never sees text: server
// adapts text/grammar.h to this, and a sequence without a grammar has none.
#pragma once

#include <cstdint>
#include <span>

namespace glint::engine {

// One sequence's constraint. Called by one thread at a time: FillMasks from a helper thread while
// the forward pass runs, the others from the engine thread.
class TokenMask {
 public:
  virtual ~TokenMask() = default;
  // As text::GrammarMatcher::FillMasks: masks [draft.size() + 1, ceil(vocabulary / 32)].
  virtual void FillMasks(std::span<const std::int32_t> draft, std::span<std::uint32_t> masks) = 0;
  [[nodiscard]] virtual bool Accept(std::int32_t token) = 0;
  virtual void Rollback(std::int64_t count) = 0;
};

}  // namespace glint::engine
