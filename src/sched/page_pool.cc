// SPDX-License-Identifier: Apache-2.0
#include "sched/page_pool.h"

#include "base/check.h"

namespace glint::sched {

PagePool::PagePool(std::int32_t page_count) : pages_(static_cast<std::size_t>(page_count)) {
  free_.reserve(pages_.size());
  for (std::int32_t page = page_count - 1; page >= 0; --page) {
    free_.push_back(static_cast<PageId>(page));
  }
}

std::optional<PageId> PagePool::Take() {
  if (free_.empty()) {
    if (oldest_ == kNone) return std::nullopt;
    const auto victim = static_cast<PageId>(oldest_);
    RemoveIdle(victim);
    DropName(victim);
    free_.push_back(victim);
    ++evictions_;
  }
  const PageId page = free_.back();
  free_.pop_back();
  At(page).holders = 1;
  return page;
}

void PagePool::Hold(PageId page) {
  Page& held = At(page);
  GLINT_CHECK(held.holders > 0 || held.name, "a page that is held or named");
  if (held.holders == 0) RemoveIdle(page);
  ++held.holders;
}

void PagePool::LetGo(PageId page) {
  Page& held = At(page);
  GLINT_CHECK(held.holders > 0, "a page that is held");
  if (--held.holders > 0) return;
  if (held.name) {
    AddIdle(page);
  } else {
    free_.push_back(page);
  }
}

void PagePool::Name(PageId page, const BlockHash& name) {
  Page& held = At(page);
  GLINT_CHECK(held.holders > 0, "a page that is held");
  if (held.name || !index_.emplace(name, page).second) return;
  held.name = name;
}

std::optional<PageId> PagePool::Find(const BlockHash& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

void PagePool::Forget(PageId page) {
  if (!At(page).name) return;
  DropName(page);
  if (At(page).holders > 0) return;
  RemoveIdle(page);
  free_.push_back(page);
}

void PagePool::DropName(PageId page) {
  index_.erase(*At(page).name);
  At(page).name.reset();
}

void PagePool::AddIdle(PageId page) {
  Page& added = At(page);
  added.older = newest_;
  added.newer = kNone;
  if (newest_ != kNone) pages_[static_cast<std::size_t>(newest_)].newer = Number(page);
  newest_ = Number(page);
  if (oldest_ == kNone) oldest_ = newest_;
  ++idle_count_;
}

void PagePool::RemoveIdle(PageId page) {
  Page& removed = At(page);
  if (removed.older != kNone) {
    pages_[static_cast<std::size_t>(removed.older)].newer = removed.newer;
  } else {
    oldest_ = removed.newer;
  }
  if (removed.newer != kNone) {
    pages_[static_cast<std::size_t>(removed.newer)].older = removed.older;
  } else {
    newest_ = removed.older;
  }
  removed.older = kNone;
  removed.newer = kNone;
  --idle_count_;
}

}  // namespace glint::sched
