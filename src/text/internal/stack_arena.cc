// SPDX-License-Identifier: Apache-2.0
#include "text/internal/stack_arena.h"

namespace glint::text {
namespace {

constexpr std::size_t kFirstBuckets = 64;  // a power of two

}  // namespace

StackArena::StackArena() : nodes_(1), buckets_(kFirstBuckets, 0) {}

std::int32_t StackArena::Push(const Frame& frame) {
  std::size_t bucket = BucketOf(frame);
  for (std::int32_t at = buckets_[bucket]; at != 0;
       at = nodes_[static_cast<std::size_t>(at)].next) {
    if (nodes_[static_cast<std::size_t>(at)].frame == frame) return at;
  }
  if (nodes_.size() > buckets_.size()) {
    Grow();
    bucket = BucketOf(frame);
  }
  const std::int32_t id = size();
  nodes_.push_back({frame, buckets_[bucket]});
  buckets_[bucket] = id;
  return id;
}

// The newest is always the first of its bucket.
void StackArena::Truncate(std::int32_t size) {
  while (this->size() > size) {
    buckets_[BucketOf(nodes_.back().frame)] = nodes_.back().next;
    nodes_.pop_back();
  }
}

std::size_t StackArena::BucketOf(const Frame& frame) const {
  std::uint64_t hash = static_cast<std::uint32_t>(frame.return_state);
  hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(frame.parent);
  hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(frame.counters.need);
  hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(frame.counters.room);
  hash ^= hash >> 32;
  hash *= 0xBF58476D1CE4E5B9U;
  return static_cast<std::size_t>(hash >> 32) & (buckets_.size() - 1);
}

void StackArena::Grow() {
  buckets_.assign(buckets_.size() * 2, 0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    std::int32_t& head = buckets_[BucketOf(nodes_[i].frame)];
    nodes_[i].next = head;
    head = static_cast<std::int32_t>(i);
  }
}

}  // namespace glint::text
