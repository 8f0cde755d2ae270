// SPDX-License-Identifier: Apache-2.0
#include "engine/step_cost_adapter.h"

namespace glint::engine {

std::chrono::nanoseconds SpecStepCost::Estimate(const sched::StepCounts& counts) const {
  const spec::StepWork work{.rows = counts.rows,
                            .sampled_rows = counts.sampled_rows,
                            .context_tokens = counts.context_tokens};
  const std::chrono::duration<double> seconds(model_.Seconds(work, machine_));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
}

}  // namespace glint::engine
