// SPDX-License-Identifier: Apache-2.0
#include "sched/page_table.h"

#include <optional>
#include <string>

#include "base/check.h"

namespace glint::sched {

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
    std::vector<PageId>& pages = held_[sequence];
    for (std::int64_t i = 0; i < add; ++i) pages.push_back(*pool_.Take());
  }
  return Pages(sequence);
}

std::span<const PageId> PageTable::Pages(SequenceId sequence) const {
  const auto held = held_.find(sequence);
  if (held == held_.end()) return {};
  return held->second;
}

PageTable::Match PageTable::Find(std::span<const BlockHash> names) const {
  Match match;
  for (const BlockHash& name : names) {
    const std::optional<PageId> page = pool_.Find(name);
    if (!page) break;
    ++match.pages;
    if (pool_.holders(*page) == 0) ++match.idle;
  }
  return match;
}

void PageTable::Share(SequenceId sequence, std::span<const BlockHash> names, std::int32_t count) {
  if (count == 0) return;
  std::vector<PageId>& pages = held_[sequence];
  GLINT_CHECK(pages.empty(), "a sequence that holds nothing");
  for (const BlockHash& name : names.first(static_cast<std::size_t>(count))) {
    const std::optional<PageId> page = pool_.Find(name);
    GLINT_CHECK(page.has_value(), "a name that was found");
    pool_.Hold(*page);
    pages.push_back(*page);
  }
}

void PageTable::Name(SequenceId sequence, std::int64_t index, const BlockHash& name) {
  pool_.Name(held_.at(sequence).at(static_cast<std::size_t>(index)), name);
}

void PageTable::Forget(SequenceId sequence) {
  for (const PageId page : Pages(sequence)) pool_.Forget(page);
}

void PageTable::Release(SequenceId sequence) {
  const auto held = held_.find(sequence);
  if (held == held_.end()) return;
  // The last page first: it is found only after those before it, so it may go before them.
  for (auto page = held->second.rbegin(); page != held->second.rend(); ++page) pool_.LetGo(*page);
  held_.erase(held);
}

}  // namespace glint::sched
