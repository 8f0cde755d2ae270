// SPDX-License-Identifier: Apache-2.0
// What one rendering may use: steps of work, and bytes that its values hold at one time. So no
// template and no message can hang the server or take its memory.
//
// Running out is sticky and is looked at between steps: whoever makes a value just makes it, unless
// it could be far larger than its inputs; then HasRoom comes first.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace glint::text::jinja {

// Of one thread. Values point at it, so it outlives them.
class Budget {
 public:
  struct Limits {
    std::int64_t steps = 0;
    std::int64_t live_bytes = 0;
  };
  explicit Budget(Limits limits) : limits_(limits), steps_left_(limits.steps) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Notes work done or about to be done. False when there is none left: stop, the result will not
  // be used.
  bool Spend(std::int64_t steps) {
    steps_left_ -= steps;
    return ok();
  }
  // Work of going over so many bytes.
  bool SpendBytes(std::size_t bytes) { return Spend(static_cast<std::int64_t>(bytes / 256)); }

  // True when so many more bytes may be held; false ends the rendering.
  bool HasRoom(std::int64_t bytes) {
    if (bytes > limits_.live_bytes - live_bytes_) overfull_ = true;
    return ok();
  }
  // HasRoom for `count` times `bytes_each`.
  bool HasRoom(std::int64_t count, std::int64_t bytes_each) {
    if (count > 0 && bytes_each > limits_.live_bytes / count) overfull_ = true;
    return ok() && (count <= 0 || HasRoom(count * bytes_each));
  }

  [[nodiscard]] bool ok() const { return steps_left_ >= 0 && !overfull_; }
  // kInvalidArgument naming the limit that was passed.
  [[nodiscard]] Status Check() const;

 private:
  friend class Held;
  Limits limits_;
  std::int64_t steps_left_;
  std::int64_t live_bytes_ = 0;
  bool overfull_ = false;
};

// The share of a budget that one object holds, until it is destroyed.
class Held {
 public:
  Held() = default;  // of an object that outlives renderings, a constant of a template
  Held(Budget* budget, std::size_t bytes)
      : budget_(budget), bytes_(static_cast<std::int64_t>(bytes)) {
    if (budget_ == nullptr) return;
    budget_->live_bytes_ += bytes_;
    budget_->HasRoom(0);
    budget_->SpendBytes(bytes);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (budget_ != nullptr) budget_->live_bytes_ -= bytes_;
  }

 private:
  Budget* budget_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace glint::text::jinja
