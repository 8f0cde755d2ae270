// SPDX-License-Identifier: Apache-2.0
// Pages with holders and names: which are held and how often, which of the others still hold a
// block that somebody may ask for again, and which goes first when room is wanted.
//
// The index from names to pages is a radix tree by page: a block's name is a hash of its parent's
// name and its tokens, so to walk down is to look up one name after another. Named pages that
// nobody holds are evicted in the order in which they were let go, whatever hangs below them: there
// is always one to take (docs/decisions/0008). Numbers only; no tensor, device or clock.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace glint::sched {

// Thread-compatible. A page that is handed in must be one of the pool's; to let go of a page that
// nobody holds is a bug.
class PagePool {
 public:
  explicit PagePool(std::int32_t page_count);  // > 0

  // A page without a name, held once: a free one, else the named page that was let go longest ago,
  // which loses its name. Nothing when every page is held.
  std::optional<PageId> Take();
  // One more holder, of a page that is held or named.
  void Hold(PageId page);
  // One holder less. The last one leaves a named page to be found again, another one is free.
  void LetGo(PageId page);

  // From now on `name` finds `page`, which is held, full and not written again. When the name is
  // another page's already, that one keeps it; a page that has a name keeps its own.
  void Name(PageId page, const BlockHash& name);
  [[nodiscard]] std::optional<PageId> Find(const BlockHash& name) const;
  // Its content is not to be trusted: no name finds it any more.
  void Forget(PageId page);

  [[nodiscard]] std::int32_t holders(PageId page) const { return At(page).holders; }
  [[nodiscard]] bool named(PageId page) const { return At(page).name.has_value(); }
  // Pages that nobody holds, named or not: what Take can give.
  [[nodiscard]] std::int32_t available() const {
    return static_cast<std::int32_t>(free_.size()) + idle_count_;
  }
  [[nodiscard]] std::int64_t evictions() const { return evictions_; }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Page {
    std::int32_t holders = 0;
    std::int32_t older = kNone;  // neighbours among the idle pages
    std::int32_t newer = kNone;
    std::optional<BlockHash> name;
  };
  [[nodiscard]] const Page& At(PageId page) const {
    return pages_.at(static_cast<std::size_t>(Number(page)));
  }
  Page& At(PageId page) { return pages_.at(static_cast<std::size_t>(Number(page))); }
  void AddIdle(PageId page);
  void RemoveIdle(PageId page);
  void DropName(PageId page);

  std::vector<Page> pages_;
  std::vector<PageId> free_;  // used as a stack: the page freed last is the warmest in cache
  // Named and held by nobody, a list through the pages.
  std::int32_t oldest_ = kNone;
  std::int32_t newest_ = kNone;
  std::int32_t idle_count_ = 0;
  std::unordered_map<BlockHash, PageId> index_;
  std::int64_t evictions_ = 0;
};

}  // namespace glint::sched
