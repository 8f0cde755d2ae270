// SPDX-License-Identifier: Apache-2.0
// Names of full pages: a hash of the parent's name and the page's tokens, down from a root that the
// tenant's salt gives. Equal names mean equal tokens from the first position on.
//
// The key is made at start and never leaves the process: whoever sends prompts cannot search for
// two that collide. Source: SipHash-2-4 with 128 bits of output, Aumasson and Bernstein,
// "SipHash: a fast short-input PRF", INDOCRYPT 2012, and the authors' reference for 128 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.h"

namespace glint::engine {

// Thread-safe: calls change nothing.
class BlockHasher {
 public:
  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  static Key RandomKey();
  explicit BlockHasher(Key key) : key_(key) {}

  // The parent of every first page of requests with this salt; empty is a salt too.
  [[nodiscard]] BlockHash Root(std::string_view salt) const { return Hash(salt); }
  [[nodiscard]] BlockHash Next(const BlockHash& parent, std::span<const std::int32_t> page) const;

  [[nodiscard]] BlockHash Hash(std::string_view bytes) const;

 private:
  Key key_;
};

}  // namespace glint::engine
