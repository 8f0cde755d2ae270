// SPDX-License-Identifier: Apache-2.0
// Stacks of return states as shared lists: equal stacks have equal ids, so sets of them compare by
// id and going back is forgetting the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/internal/automaton.h"

namespace glint::text {

// What to go on with when the rule on top ends.
struct Frame {
  std::int32_t return_state = 0;
  std::int32_t parent = 0;  // the stack below
  Counters counters;        // of the frame that goes on
  bool operator==(const Frame&) const = default;
};

// Thread-compatible. Stack 0 is the empty one.
class StackArena {
 public:
  StackArena();

  // The stack with `frame` on top.
  std::int32_t Push(const Frame& frame);

  // Valid until the next Push.
  [[nodiscard]] const Frame& Top(std::int32_t stack) const {
    return nodes_[static_cast<std::size_t>(stack)].frame;
  }

  // Stacks have the ids below size(); Truncate forgets those from `size` >= 1 on.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  void Truncate(std::int32_t size);

 private:
  struct Node {
    Frame frame;
    std::int32_t next = 0;  // in its bucket, older; 0: none
  };

  [[nodiscard]] std::size_t BucketOf(const Frame& frame) const;
  void Grow();

  std::vector<Node> nodes_;  // [0] stands for the empty stack
  std::vector<std::int32_t> buckets_;
};

}  // namespace glint::text
