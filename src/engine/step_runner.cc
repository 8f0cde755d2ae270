// SPDX-License-Identifier: Apache-2.0
#include "engine/internal/step_runner.h"

#include <utility>

#include "base/check.h"

namespace glint::engine {

Result<std::unique_ptr<StepRunner>> StepRunner::Create(const spec::ModelSpec& model,
                                                       model::WeightStore& weights,
                                                       const kernels::OperationTable& operations,
                                                       device::Device& device,
                                                       const model::ForwardOptions& options) {
  std::unique_ptr<StepRunner> made(new StepRunner());
  GLINT_ASSIGN(made->forward_, model::Forward::Create(model, weights, operations, device, options));
  GLINT_ASSIGN(made->sampler_, Sampler::Create(options.max_logit_rows, device, operations));
  for (auto& event : made->done_) event = device.CreateEvent();
  return made;
}

model::BatchSequence StepRunner::Rows(const sched::RowRange& range, const SequenceRows& of) const {
  model::BatchSequence sequence{.first_position = range.first_position,
                                .pages = {of.pages.begin(), of.pages.end()},
                                .logit_rows = range.sample ? 1 : 0};
  sequence.tokens.reserve(static_cast<std::size_t>(range.count));
  for (std::int64_t i = 0; i < range.count; ++i) {
    const auto position = static_cast<std::size_t>(range.first_position + i);
    if (range.token_from_step >= 0 && i + 1 == range.count) {
      GLINT_CHECK(range.token_from_step == last_step_, "a sample of the step before");
      sequence.tokens.push_back(model::TokenSlot::SampleInFlight(last_samples_.at(range.sequence)));
    } else {
      sequence.tokens.push_back(model::TokenSlot::Id(
          position < of.prompt.size() ? of.prompt[position]
                                      : of.generated[position - of.prompt.size()]));
    }
  }
  return sequence;
}

Status StepRunner::Enqueue(const sched::StepPlan& plan, std::span<const SequenceRows> rows_of) {
  GLINT_CHECK(plan.micro_batches.size() == 1, "one batch a step");
  const std::vector<sched::RowRange>& ranges = plan.micro_batches.front().ranges;
  GLINT_CHECK(ranges.size() == rows_of.size(), "rows of every range");
  model::Batch batch{.samples = sampler_->OnDevice(1 - next_)};
  batch.sequences.reserve(ranges.size());
  std::vector<SampledRow> sampled;
  sampled.reserve(ranges.size());
  std::unordered_map<SequenceId, std::int32_t> samples;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const sched::RowRange& range = ranges[i];
    batch.sequences.push_back(Rows(range, rows_of[i]));
    if (!range.sample) continue;
    samples[range.sequence] = static_cast<std::int32_t>(sampled.size());
    sampled.push_back(
        {.parameters = rows_of[i].sampling, .position = range.first_position + range.count});
  }
  GLINT_ASSIGN(const model::EnqueuedForward pass, forward_->Enqueue(batch));
  sampler_->Enqueue(next_, forward_->stream(), pass.logits, sampled);
  forward_->stream().Record(*done_[next_]);
  last_step_ = plan.step;
  last_samples_ = std::move(samples);
  next_ = 1 - next_;
  return Ok();
}

std::span<const std::int32_t> StepRunner::Wait() {
  const std::size_t slot = oldest_;
  oldest_ = 1 - oldest_;
  done_[slot]->Synchronize();
  return sampler_->Tokens(slot);
}

}  // namespace glint::engine
