// SPDX-License-Identifier: Apache-2.0
// Token ids and the bytes that they stand for, both ways.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glint::text {

// Thread-compatible; const calls may run at once. All bytes together stay below 4 GiB.
class Vocabulary {
 public:
  static constexpr std::int32_t kNoToken = -1;

  // Room for that many tokens that Find is to find.
  void Reserve(std::size_t count);

  // Whether `id` >= 0 has bytes.
  [[nodiscard]] bool Contains(std::int32_t id) const;

  // Gives `bytes`, not empty, to `id` >= 0, which must not have any.
  void Add(std::int32_t id, std::string_view bytes);

  // Lets Find see `id`, which has bytes. False, and nothing changed, when Find knows those bytes.
  bool Index(std::int32_t id);

  // The indexed token of exactly these bytes, or kNoToken.
  [[nodiscard]] std::int32_t Find(std::string_view bytes) const;

  // Empty for an unknown id, whatever its value.
  [[nodiscard]] std::string_view Bytes(std::int32_t id) const;

  // Highest id + 1.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(spans_.size()); }

 private:
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;  // 0: no such token
  };

  struct Slot {
    std::int32_t id = kNoToken;
    std::uint32_t tag = 0;  // further bits of the hash: most strangers are told apart by it alone
  };

  // The slot that holds `bytes`, or the empty one where they belong.
  [[nodiscard]] std::size_t SlotOf(std::string_view bytes, std::uint64_t hash) const;
  void Rehash(std::size_t slots);

  std::string bytes_;
  std::vector<Span> spans_;  // by id
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::size_t indexed_ = 0;
};

}  // namespace glint::text
