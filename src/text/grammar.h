// SPDX-License-Identifier: Apache-2.0
// What a grammar tells the sampler: which tokens may come next. One matcher follows one sequence.
//
// Seam: design.md section 3, "Grammar". Masks are computed while the forward pass runs and are due
// at the sampler; drafts of speculative decoding are masked too. AllowAll is the matcher of a
// request without a grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace glint::text {

// Thread-compatible. A mask is one bit a token, bit t % 32 of word t / 32; set means allowed.
class GrammarMatcher {
 public:
  virtual ~GrammarMatcher() = default;

  // Masks for the positions after each prefix of `draft`: masks [draft.size() + 1, words], where
  // words = ceil(vocabulary / 32). Mask i assumes that draft[0 .. i-1] were accepted; after a draft
  // token that the grammar forbids, the masks that follow it are all zero. Leaves the state as it
  // was.
  virtual void FillMasks(std::span<const std::int32_t> draft, std::span<std::uint32_t> masks) = 0;

  // Moves past a token. False, and nothing moved, when the grammar forbids it.
  [[nodiscard]] virtual bool Accept(std::int32_t token) = 0;

  // Takes the last `count` accepted tokens back; at most as many as were accepted.
  virtual void Rollback(std::int64_t count) = 0;

  // True when the text may end here.
  [[nodiscard]] virtual bool CanEnd() const = 0;
};

// Allows every token below `vocabulary` (> 0), always.
std::unique_ptr<GrammarMatcher> MakeAllowAll(std::int64_t vocabulary);

}  // namespace glint::text
