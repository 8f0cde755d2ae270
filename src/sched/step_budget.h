// SPDX-License-Identifier: Apache-2.0
// What a step may hold so that it does not take longer than its target, asked of a step-time model.
#pragma once

#include <chrono>
#include <cstdint>

#include "sched/step_cost.h"
#include "sched/step_plan.h"

namespace glint::sched {

// Adds rows at positions `first` .. `first + rows - 1`, each of which attends to all up to itself.
void AddRows(std::int64_t first, std::int64_t rows, bool sample, StepCounts& counts);
[[nodiscard]] StepCounts CountsOf(const StepPlan& plan);

// Thread-compatible.
class StepBudget {
 public:
  // A prompt that runs gets so many rows of a step, whatever the target says: it must end too.
  static constexpr std::int64_t kLeastChunk = 4;

  // `cost` may be null, `target` 0: then there is no limit. The cost must grow with each count, and
  // outlive the object.
  StepBudget(const StepCost* cost, std::chrono::nanoseconds target)
      : cost_(cost), target_(target) {}

  [[nodiscard]] bool limited() const { return cost_ != nullptr && target_.count() > 0; }
  // 0 when nothing is known of the cost.
  [[nodiscard]] std::chrono::nanoseconds Estimate(const StepCounts& counts) const {
    return cost_ == nullptr ? std::chrono::nanoseconds(0) : cost_->Estimate(counts);
  }
  [[nodiscard]] bool Fits(const StepCounts& counts) const {
    return !limited() || cost_->Estimate(counts) <= target_;
  }
  // The most rows from `first` on, at most `most`, with which a step of `counts` fits; may be 0.
  [[nodiscard]] std::int64_t Chunk(const StepCounts& counts, std::int64_t first,
                                   std::int64_t most) const;

 private:
  const StepCost* cost_;
  std::chrono::nanoseconds target_;
};

}  // namespace glint::sched
