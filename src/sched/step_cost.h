// SPDX-License-Identifier: Apache-2.0
// How long a step will take, as the scheduler asks it: over plain counts. The formula itself
// stands once, in spec/step_cost.h; engine and plan each hold a small adapter to it.
#pragma once

#include <chrono>
#include <cstdint>

namespace glint::sched {

// What a step holds. All >= 0.
struct StepCounts {
  std::int64_t rows = 0;            // tokens in the forward pass
  std::int64_t sampled_rows = 0;    // of these, rows whose logits are needed
  std::int64_t context_tokens = 0;  // sum over rows of the positions that a row may attend to
};

class StepCost {
 public:
  virtual ~StepCost() = default;
  [[nodiscard]] virtual std::chrono::nanoseconds Estimate(const StepCounts& counts) const = 0;
};

}  // namespace glint::sched
