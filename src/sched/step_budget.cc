// SPDX-License-Identifier: Apache-2.0
#include "sched/step_budget.h"

namespace glint::sched {

void AddRows(std::int64_t first, std::int64_t rows, bool sample, StepCounts& counts) {
  counts.rows += rows;
  counts.sampled_rows += sample ? 1 : 0;
  counts.context_tokens += rows * first + rows * (rows + 1) / 2;
}

StepCounts CountsOf(const StepPlan& plan) {
  StepCounts counts;
  for (const MicroBatch& batch : plan.micro_batches) {
    for (const RowRange& range : batch.ranges) {
      AddRows(range.first_position, range.count, range.sample, counts);
    }
  }
  return counts;
}

std::int64_t StepBudget::Chunk(const StepCounts& counts, std::int64_t first,
                               std::int64_t most) const {
  if (!limited()) return most;
  std::int64_t fits = 0;
  std::int64_t beyond = most + 1;
  while (beyond - fits > 1) {
    const std::int64_t rows = fits + (beyond - fits) / 2;
    StepCounts with = counts;
    AddRows(first, rows, true, with);
    (Fits(with) ? fits : beyond) = rows;
  }
  return fits;
}

}  // namespace glint::sched
