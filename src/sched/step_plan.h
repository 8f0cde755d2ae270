// SPDX-License-Identifier: Apache-2.0
// What the scheduler says of a step, and what it is told afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace glint::sched {

// A run of consecutive positions of one sequence in a step.
struct RowRange {
  SequenceId sequence{};
  std::int64_t first_position = 0;
  std::int64_t count = 0;  // rows, > 0
  bool sample = false;     // the last row's logits are sampled
  // The last row's token is not known to the host yet: it is the sample of this earlier step, still
  // in flight. -1: all tokens are known (prompt, or committed).
  std::int64_t token_from_step = -1;
};

// Rows that go through the model together. One per step until pipeline stages come.
struct MicroBatch {
  std::vector<RowRange> ranges;
};

struct StepPlan {
  std::int64_t step = 0;  // counts up from 0; empty plans count too
  std::vector<MicroBatch> micro_batches;

  [[nodiscard]] bool empty() const { return micro_batches.empty(); }
  [[nodiscard]] std::int64_t RowCount() const {
    std::int64_t rows = 0;
    for (const MicroBatch& batch : micro_batches) {
      for (const RowRange& range : batch.ranges) rows += range.count;
    }
    return rows;
  }
};

// What became of a sequence's rows in a step: one entry for each RowRange of the plan.
struct Accepted {
  SequenceId sequence{};
  std::int64_t tokens = 0;  // new tokens: 0 when nothing was sampled, 1, or more with speculation
  bool finished = false;    // a stop was found (end token, stop text, client gone, error)
  bool discard = false;     // with `finished`: nobody may trust what its rows wrote
  // Names of the pages that the new tokens make full, in order; they follow those of before.
  std::vector<BlockHash> blocks{};
};

struct StepResult {
  std::int64_t step = 0;
  std::vector<Accepted> accepted;
};

}  // namespace glint::sched
