// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding: joins neighbouring tokens in the order of the merge list.
//
// Source: Sennrich et al., arXiv:1508.07909, algorithm 1, on bytes. The lowest rank goes first, the
// leftmost of equal ones; a heap of candidates over a linked list, so n bytes take O(n log n).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace glint::text {

// Thread-compatible; const calls may run at once.
class MergeTable {
 public:
  struct Merge {
    std::uint32_t rank = 0;  // lower goes first
    std::int32_t id = -1;    // of the joined token; -1: the pair is not joined
  };

  // Room for that many pairs.
  void Reserve(std::size_t count);

  // Later calls for the same pair replace earlier ones. Ids are >= 0.
  void Put(std::int32_t left, std::int32_t right, Merge merge);

  [[nodiscard]] Merge Find(std::int32_t left, std::int32_t right) const;

 private:
  struct Slot {
    std::uint64_t key = kFree;  // left id, right id
    Merge merge;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no id is that high

  [[nodiscard]] std::size_t SlotOf(std::uint64_t key) const;
  void Rehash(std::size_t slots);

  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::size_t count_ = 0;
};

// Encodes pieces one after another; holds the buffers that they share. One thread at a time.
class BpeEncoder {
 public:
  // Both must outlive this object. `byte_ids` holds the token of each byte.
  BpeEncoder(const MergeTable& merges, const std::array<std::int32_t, 256>& byte_ids)
      : merges_(merges), byte_ids_(byte_ids) {}

  // Appends the tokens of `piece`, which is shorter than 4 GiB.
  void Encode(std::string_view piece, std::vector<std::int32_t>& ids);

 private:
  // A token of the piece, at the index of its first byte.
  struct Symbol {
    std::int32_t id = 0;
    std::uint32_t length = 0;  // bytes; 0: joined to a symbol on its left
    std::uint32_t previous = 0;
  };
  // A pair that could be joined. Out of date once the two no longer have `length` bytes in all.
  struct Candidate {
    std::uint32_t rank = 0;
    std::uint32_t at = 0;  // index of the left symbol
    std::int32_t id = 0;
    std::uint32_t length = 0;
    // std::push_heap keeps the largest first.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  void AddCandidate(std::uint32_t at);
  void Join(const Candidate& best);

  const MergeTable& merges_;
  const std::array<std::int32_t, 256>& byte_ids_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;
};

}  // namespace glint::text
