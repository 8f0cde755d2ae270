// SPDX-License-Identifier: Apache-2.0
#include "sched/page_table.h"

#include <string>

#include "base/check.h"

namespace glint::sched {

PageTable::PageTable(Options options) : options_(options) {
  free_.reserve(static_cast<std::size_t>(options.page_count));
  for (std::int32_t page = options.page_count - 1; page >= 0; --page) {
    free_.push_back(static_cast<PageId>(page));
  }
}

Result<PageTable> PageTable::Create(Options options) {
  if (options.page_count <= 0) {
    return InvalidArgument("page count is " + std::to_string(options.page_count) +
                           ", must be above 0");
  }
  if (options.page_tokens <= 0) {
    return InvalidArgument("tokens per page is " + std::to_string(options.page_tokens) +
                           ", must be above 0");
  }
  return PageTable(options);
}

Result<std::span<const PageId>> PageTable::Reserve(SequenceId sequence, std::int64_t token_count) {
  GLINT_CHECK(token_count >= 0, "tokens to reserve");
  const auto held = held_.find(sequence);
  const std::int64_t have =
      held == held_.end() ? 0 : static_cast<std::int64_t>(held->second.size());
  const std::int64_t want = (token_count + options_.page_tokens - 1) / options_.page_tokens;
  const std::int64_t add = want - have;
  if (add > free_pages()) {
    return ResourceExhausted(std::to_string(add) + " pages wanted, " +
                             std::to_string(free_pages()) + " are free");
  }
  if (add > 0) {
    std::vector<PageId>& pages = held == held_.end() ? held_[sequence] : held->second;
    const auto first = free_.end() - static_cast<std::ptrdiff_t>(add);
    pages.insert(pages.end(), std::make_reverse_iterator(free_.end()),
                 std::make_reverse_iterator(first));
    free_.erase(first, free_.end());
  }
  return Pages(sequence);
}

std::span<const PageId> PageTable::Pages(SequenceId sequence) const {
  const auto held = held_.find(sequence);
  if (held == held_.end()) return {};
  return held->second;
}

void PageTable::Release(SequenceId sequence) {
  const auto held = held_.find(sequence);
  if (held == held_.end()) return;
  free_.insert(free_.end(), held->second.rbegin(), held->second.rend());
  held_.erase(held);
}

}  // namespace glint::sched
