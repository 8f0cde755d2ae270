// SPDX-License-Identifier: Apache-2.0
// One planned step as work of the device: a batch, the pass, the picks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "device/device.h"
#include "engine/internal/sampler.h"
#include "model/forward.h"
#include "sched/step_plan.h"

namespace glint::engine {

// What a row range needs to become rows.
struct SequenceRows {
  std::span<const std::int32_t> prompt;
  std::span<const std::int32_t> generated;  // known to the host
  std::span<const PageId> pages;
  SamplingParameters sampling;
};

// Thread-compatible: the engine thread owns it. At most two steps are enqueued and not waited for.
class StepRunner {
 public:
  static Result<std::unique_ptr<StepRunner>> Create(const spec::ModelSpec& model,
                                                    model::WeightStore& weights,
                                                    const kernels::OperationTable& operations,
                                                    device::Device& device,
                                                    const model::ForwardOptions& options);

  // Enqueues a step that is not empty. `rows_of` has an entry for each range, in order. On an error
  // nothing was enqueued, and Wait must not be called for the step.
  Status Enqueue(const sched::StepPlan& plan, std::span<const SequenceRows> rows_of);

  // Blocks until the oldest step that was enqueued is done. Its tokens, one for each range that
  // samples, in order; -1 for a row whose logits were no numbers. Valid until the next Enqueue but
  // one.
  std::span<const std::int32_t> Wait();

 private:
  StepRunner() = default;
  model::BatchSequence Rows(const sched::RowRange& range, const SequenceRows& of) const;

  std::unique_ptr<model::Forward> forward_;
  std::unique_ptr<Sampler> sampler_;
  std::array<std::unique_ptr<device::Event>, 2> done_;
  std::size_t next_ = 0;    // slot of the next step
  std::size_t oldest_ = 0;  // slot to wait for
  // Of the step enqueued last: its number, and which of its samples is whose.
  std::int64_t last_step_ = -1;
  std::unordered_map<SequenceId, std::int32_t> last_samples_;
};

}  // namespace glint::engine
