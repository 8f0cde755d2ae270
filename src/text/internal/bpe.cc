// SPDX-License-Identifier: Apache-2.0
#include "text/internal/bpe.h"

#include <algorithm>
#include <bit>

namespace glint::text {
namespace {

std::uint64_t KeyOf(std::int32_t left, std::int32_t right) {
  return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32U) |
         static_cast<std::uint32_t>(right);
}

}  // namespace

void MergeTable::Reserve(std::size_t count) {
  if (slots_.size() < 2 * count) Rehash(2 * count);
}

void MergeTable::Put(std::int32_t left, std::int32_t right, Merge merge) {
  if (2 * (count_ + 1) > slots_.size()) Rehash(4 * (count_ + 1));
  const std::uint64_t key = KeyOf(left, right);
  Slot& slot = slots_[SlotOf(key)];
  count_ += slot.key == kFree ? 1 : 0;
  slot = {.key = key, .merge = merge};
}

MergeTable::Merge MergeTable::Find(std::int32_t left, std::int32_t right) const {
  return slots_.empty() ? Merge{} : slots_[SlotOf(KeyOf(left, right))].merge;
}

std::size_t MergeTable::SlotOf(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t mixed = key * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  std::size_t slot = (mixed ^ (mixed >> 32U)) & mask;
  while (slots_[slot].key != kFree && slots_[slot].key != key) slot = (slot + 1) & mask;
  return slot;
}

void MergeTable::Rehash(std::size_t slots) {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::bit_ceil(std::max<std::size_t>(slots, 16)), Slot{});
  for (const Slot& slot : old) {
    if (slot.key != kFree) slots_[SlotOf(slot.key)] = slot;
  }
}

void BpeEncoder::Encode(std::string_view piece, std::vector<std::int32_t>& ids) {
  const auto size = static_cast<std::uint32_t>(piece.size());
  symbols_.resize(size);
  for (std::uint32_t at = 0; at < size; ++at) {
    symbols_[at] = {
        .id = byte_ids_[static_cast<unsigned char>(piece[at])], .length = 1, .previous = at - 1};
  }
  candidates_.clear();
  for (std::uint32_t at = 0; at + 1 < size; ++at) AddCandidate(at);
  std::make_heap(candidates_.begin(), candidates_.end());
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end());
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    Join(best);
  }
  for (std::uint32_t at = 0; at < size; at += symbols_[at].length) ids.push_back(symbols_[at].id);
}

void BpeEncoder::AddCandidate(std::uint32_t at) {
  const Symbol& left = symbols_[at];
  const Symbol& right = symbols_[at + left.length];
  const MergeTable::Merge merge = merges_.Find(left.id, right.id);
  if (merge.id < 0) return;
  candidates_.push_back(
      {.rank = merge.rank, .at = at, .id = merge.id, .length = left.length + right.length});
}

void BpeEncoder::Join(const Candidate& best) {
  Symbol& left = symbols_[best.at];
  // A pair only grows, so its length tells whether it is the one that the candidate meant.
  const std::uint32_t middle = best.at + left.length;
  if (left.length == 0 || middle >= symbols_.size()) return;
  if (left.length + symbols_[middle].length != best.length) return;
  left.id = best.id;
  left.length = best.length;
  symbols_[middle].length = 0;
  const std::uint32_t next = best.at + best.length;
  const auto add = [this](std::uint32_t at) {
    const std::size_t before = candidates_.size();
    AddCandidate(at);
    if (candidates_.size() > before) std::push_heap(candidates_.begin(), candidates_.end());
  };
  if (next < symbols_.size()) {
    symbols_[next].previous = best.at;
    add(best.at);
  }
  if (best.at > 0) add(left.previous);
}

}  // namespace glint::text
