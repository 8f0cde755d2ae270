// SPDX-License-Identifier: Apache-2.0
// Page accounting for the caches: which sequence holds which page, and how many are free.
//
// Numbers only: no tensor, no device, no clock, so the engine and the simulator run the same code.
// One page holds `page_tokens` positions of a sequence in every cache at once (latents of all
// layers, indexer keys, MTP state); where its bytes lie is model/cache_layout.h. Source of the
// scheme: paged attention, arXiv:2309.06180, section 4.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace glint::sched {

// Thread-compatible: one scheduler owns it.
class PageTable {
 public:
  struct Options {
    std::int32_t page_count = 0;    // > 0
    std::int32_t page_tokens = 16;  // > 0
  };
  // Fails with kInvalidArgument when an option is out of its range.
  static Result<PageTable> Create(Options options);

  // Makes room for `sequence` to hold `token_count` tokens in all (not: more than now); never
  // gives pages back. Returns the sequence's pages in token order; the view is valid until the next
  // call that is not const. Fails with kResourceExhausted, and changes nothing, when too few pages
  // are free. O(pages added).
  Result<std::span<const PageId>> Reserve(SequenceId sequence, std::int64_t token_count);

  // The pages of `sequence` in token order; empty when it holds none.
  [[nodiscard]] std::span<const PageId> Pages(SequenceId sequence) const;

  // Gives all pages of `sequence` back. A sequence that holds none is not an error.
  void Release(SequenceId sequence);

  [[nodiscard]] std::int32_t free_pages() const { return static_cast<std::int32_t>(free_.size()); }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  explicit PageTable(Options options);

  Options options_;
  std::vector<PageId> free_;  // used as a stack: the page freed last is the warmest in cache
  std::unordered_map<SequenceId, std::vector<PageId>> held_;
};

}  // namespace glint::sched
