// SPDX-License-Identifier: Apache-2.0
#include "text/internal/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace glint::text {
namespace {

template <typename Word>
std::uint64_t Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

std::uint64_t Mix(std::uint64_t value) {
  value *= 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  return value ^ (value >> 32U);
}

// Words that are read twice do no harm: the length goes in too.
std::uint64_t Hash(std::string_view bytes) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = Mix(left + 1);
  for (; left > 8; left -= 8, at += 8) hash = Mix(hash ^ Load<std::uint64_t>(at));
  std::uint64_t tail = 0;
  if (left >= 4) {
    tail = Load<std::uint32_t>(at) | (Load<std::uint32_t>(at + left - 4) << 32U);
  } else if (left > 0) {
    tail = Load<std::uint8_t>(at) | (Load<std::uint8_t>(at + left / 2) << 8U) |
           (Load<std::uint8_t>(at + left - 1) << 16U);
  }
  return Mix(hash ^ tail);
}

std::uint32_t TagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

void Vocabulary::Reserve(std::size_t count) {
  spans_.reserve(count);
  if (slots_.size() < 2 * count) Rehash(2 * count);
}

bool Vocabulary::Contains(std::int32_t id) const { return !Bytes(id).empty(); }

void Vocabulary::Add(std::int32_t id, std::string_view bytes) {
  GLINT_CHECK(id >= 0 && !bytes.empty() && !Contains(id), "a new token with bytes");
  const auto index = static_cast<std::size_t>(id);
  if (index >= spans_.size()) spans_.resize(index + 1);
  spans_[index] = {.begin = static_cast<std::uint32_t>(bytes_.size()),
                   .length = static_cast<std::uint32_t>(bytes.size())};
  bytes_ += bytes;
}

bool Vocabulary::Index(std::int32_t id) {
  if (2 * (indexed_ + 1) > slots_.size()) Rehash(4 * (indexed_ + 1));
  const std::uint64_t hash = Hash(Bytes(id));
  Slot& slot = slots_[SlotOf(Bytes(id), hash)];
  if (slot.id != kNoToken) return false;
  slot = {.id = id, .tag = TagOf(hash)};
  ++indexed_;
  return true;
}

std::int32_t Vocabulary::Find(std::string_view bytes) const {
  return slots_.empty() ? kNoToken : slots_[SlotOf(bytes, Hash(bytes))].id;
}

std::string_view Vocabulary::Bytes(std::int32_t id) const {
  if (id < 0 || id >= size()) return {};
  const Span span = spans_[static_cast<std::size_t>(id)];
  return std::string_view(bytes_).substr(span.begin, span.length);
}

std::size_t Vocabulary::SlotOf(std::string_view bytes, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (;; at = (at + 1) & mask) {
    const Slot slot = slots_[at];
    if (slot.id == kNoToken) return at;
    if (slot.tag == TagOf(hash) && Bytes(slot.id) == bytes) return at;
  }
}

void Vocabulary::Rehash(std::size_t slots) {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::bit_ceil(std::max<std::size_t>(slots, 16)), Slot{});
  for (const Slot& slot : old) {
    if (slot.id != kNoToken) slots_[SlotOf(Bytes(slot.id), Hash(Bytes(slot.id)))] = slot;
  }
}

}  // namespace glint::text
