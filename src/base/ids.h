// SPDX-License-Identifier: Apache-2.0
// Identities that several modules pass around. Each is its own type, so that a page cannot be
// handed in where a request is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace glint {

enum class RequestId : std::uint64_t {};   // one client request; never reused within a process
enum class SequenceId : std::uint64_t {};  // one token sequence; a request with n > 1 has several
enum class PageId : std::int32_t {};       // a page of the cache, 0 .. page_count - 1
enum class TenantId : std::uint32_t {};    // who may share cached prefixes; 0 is the default tenant

// The number behind an id, for indexing and printing.
constexpr std::uint64_t Number(RequestId id) { return static_cast<std::uint64_t>(id); }
constexpr std::uint64_t Number(SequenceId id) { return static_cast<std::uint64_t>(id); }
constexpr std::int32_t Number(PageId id) { return static_cast<std::int32_t>(id); }
constexpr std::uint32_t Number(TenantId id) { return static_cast<std::uint32_t>(id); }

// Names the content of a full page: hash of (parent hash, tenant salt, tokens). The engine makes
// it, sched only compares it and so never sees a token. 128 bits: a collision would serve another
// prompt's cache.
struct BlockHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const BlockHash&, const BlockHash&) = default;
};

}  // namespace glint

template <>
struct std::hash<glint::BlockHash> {
  std::size_t operator()(const glint::BlockHash& key) const noexcept { return key.low; }
};
