// SPDX-License-Identifier: Apache-2.0
// Page accounting for the caches: which sequence holds which pages, in which order, and how many
// are left. A page that is full may be held by several sequences (page_pool.h).
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
#include "sched/page_pool.h"

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

  // How many of `names`, from the first on, are to be found, and how many of those pages nobody
  // holds: they count as available and would not be any more once they are shared.
  struct Match {
    std::int32_t pages = 0;
    std::int32_t idle = 0;
  };
  [[nodiscard]] Match Find(std::span<const BlockHash> names) const;
  // Gives the first `count` of `names`, all to be found, to a sequence that holds nothing.
  void Share(SequenceId sequence, std::span<const BlockHash> names, std::int32_t count);
  // Names page `index` of the sequence: it is full and not written again.
  void Name(SequenceId sequence, std::int64_t index, const BlockHash& name);
  // Nobody finds the sequence's pages any more.
  void Forget(SequenceId sequence);

  // Gives all pages of `sequence` back. A sequence that holds none is not an error.
  void Release(SequenceId sequence);

  // Pages that nobody holds, those that may still be found included.
  [[nodiscard]] std::int32_t free_pages() const { return pool_.available(); }
  [[nodiscard]] const PagePool& pool() const { return pool_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  explicit PageTable(Options options) : options_(options), pool_(options.page_count) {}

  Options options_;
  PagePool pool_;
  std::unordered_map<SequenceId, std::vector<PageId>> held_;
};

}  // namespace glint::sched
