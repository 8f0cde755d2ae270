// SPDX-License-Identifier: Apache-2.0
// A `for` loop under way: its items, and what `loop` tells of it.
//
// Items are filtered only when the loop comes to them, for a condition may look at a namespace that
// the body changes; loop.last looks one item ahead and loop.length at all that are left, as in
// jinja2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "text/internal/jinja_operation.h"
#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

class LoopState {
 public:
  // Whether an item is gone over.
  using Condition = std::function<Result<bool>(const Value& item)>;
  // An error for what is not iterable. `condition` may be empty.
  static Result<std::unique_ptr<LoopState>> Create(Budget& budget, const Value& iterable,
                                                   Condition condition);

  // Goes to the next item, or returns false at the end.
  Result<bool> Next();
  [[nodiscard]] const Value& current() const { return current_; }
  // The loop has ended: lets go of its condition, which points into the block that ran it.
  void Finish() { condition_ = nullptr; }

  // loop.NAME; Missing when there is no such attribute.
  Result<Value> Attribute(Budget& budget, std::string_view name);
  // loop.cycle(...) and loop.changed(...).
  Result<Value> CallMethod(Budget& budget, std::string_view name, const Arguments& arguments);

 private:
  LoopState() = default;
  // The next item that passes the condition; Missing at the end.
  Result<Value> Take();
  Status Peek();
  Result<std::int64_t> Length();

  Value iterable_;          // keeps what items_ points into
  std::vector<Value> own_;  // items that were made for the loop
  const std::vector<Value>* items_ = nullptr;
  std::size_t* taken_ = nullptr;  // how many of items_ were looked at
  std::size_t own_taken_ = 0;
  bool has_length_ = false;  // known from the start
  Condition condition_;
  std::optional<std::int64_t> length_;
  std::int64_t index_ = -1;  // of the current item, from 0
  Value previous_;
  Value current_;
  Value next_;  // taken ahead of time, or Missing
  std::vector<Value> changed_;
  bool has_changed_ = false;  // loop.changed was called before
};

}  // namespace glint::text::jinja
