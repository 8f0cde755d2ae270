// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"

namespace glint::sched {
namespace {

std::string Named(const char* what, std::int64_t value) {
  return std::string(what) + " is " + std::to_string(value);
}

}  // namespace

Result<Scheduler> Scheduler::Create(Options options) {
  if (options.step_tokens <= 0) {
    return InvalidArgument(Named("tokens per step", options.step_tokens) + ", must be above 0");
  }
  if (options.max_sequences <= 0 || options.max_sequences > options.step_tokens) {
    return InvalidArgument(Named("sequences at once", options.max_sequences) + ", must be 1 to " +
                           std::to_string(options.step_tokens) + ", the tokens per step");
  }
  if (options.max_waiting < 0) {
    return InvalidArgument(Named("queue length", options.max_waiting) + ", must not be negative");
  }
  GLINT_ASSIGN(PageTable pages, PageTable::Create(options.pages));
  return Scheduler(options, std::move(pages));
}

Status Scheduler::Submit(std::chrono::nanoseconds /*now*/, const SequenceRequest& request) {
  GLINT_CHECK(request.prompt_tokens > 0 && request.max_new_tokens > 0, "an empty sequence");
  const std::int64_t tokens = request.prompt_tokens + request.max_new_tokens;
  const std::int64_t room = std::int64_t{options_.pages.page_count} * options_.pages.page_tokens;
  if (tokens > room) {
    return InvalidArgument(Named("prompt plus new tokens", tokens) + ", the cache holds " +
                           std::to_string(room));
  }
  const bool queued = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& other) {
    return other.sequence == request.sequence;
  });
  if (queued || sequences_.contains(request.sequence)) {
    return InvalidArgument("sequence " + std::to_string(Number(request.sequence)) +
                           " is in use already");
  }
  if (static_cast<std::int64_t>(waiting_.size()) >= options_.max_waiting) {
    return ResourceExhausted("the queue holds " + std::to_string(waiting_.size()) +
                             " sequences, which is its limit");
  }
  waiting_.push_back(request);
  return Ok();
}

void Scheduler::Cancel(SequenceId sequence) {
  std::erase_if(waiting_, [&](const auto& other) { return other.sequence == sequence; });
  const auto found = sequences_.find(sequence);
  if (found == sequences_.end()) return;
  found->second.finished = true;
  RemoveIfDone(sequence);
}

void Scheduler::Admit() {
  while (!waiting_.empty() && static_cast<std::int64_t>(running_.size()) < options_.max_sequences) {
    const SequenceRequest& next = waiting_.front();
    if (!pages_.Reserve(next.sequence, next.prompt_tokens + next.max_new_tokens).ok()) return;
    sequences_[next.sequence].request = next;
    running_.push_back(next.sequence);
    waiting_.pop_front();
  }
}

std::optional<RowRange> Scheduler::NextRows(const Sequence& sequence, std::int64_t budget) {
  if (sequence.finished || budget == 0) return std::nullopt;
  const SequenceRequest& request = sequence.request;
  const std::int64_t known = request.prompt_tokens + sequence.generated;
  const bool promised = sequence.sampling_step >= 0;
  // The last new token is never fed back, so it needs no row.
  const std::int64_t last = request.prompt_tokens + request.max_new_tokens - 1;
  const std::int64_t end = std::min(known + (promised ? 1 : 0), last);
  if (sequence.planned >= end) return std::nullopt;
  RowRange range{.sequence = request.sequence, .first_position = sequence.planned};
  range.count = std::min(end - sequence.planned, budget);
  const std::int64_t stop = range.first_position + range.count;
  range.sample = stop >= known;
  if (stop > known) range.token_from_step = sequence.sampling_step;
  return range;
}

void Scheduler::Take(const RowRange& range, std::int64_t step, MicroBatch& batch) {
  Sequence& sequence = sequences_.at(range.sequence);
  sequence.planned += range.count;
  ++sequence.in_flight;
  if (range.sample) sequence.sampling_step = step;
  batch.ranges.push_back(range);
}

StepPlan Scheduler::Plan(std::chrono::nanoseconds /*now*/) {
  GLINT_CHECK(open_.size() <= 1, "more than one step ahead");
  Admit();
  StepPlan plan{.step = next_step_++, .micro_batches = {}};
  MicroBatch batch;
  std::int64_t budget = options_.step_tokens;
  for (const bool decoding : {true, false}) {
    for (const SequenceId id : running_) {
      const Sequence& sequence = sequences_.at(id);
      const bool decodes = sequence.planned >= sequence.request.prompt_tokens;
      if (decodes != decoding) continue;
      const std::optional<RowRange> range = NextRows(sequence, budget);
      if (!range) continue;
      budget -= range->count;
      Take(*range, plan.step, batch);
    }
  }
  if (!batch.ranges.empty()) {
    open_.push_back({plan.step, batch.ranges});
    plan.micro_batches.push_back(std::move(batch));
  }
  return plan;
}

void Scheduler::Commit(const StepResult& result) {
  GLINT_CHECK(!open_.empty() && open_.front().step == result.step, "the oldest open step");
  const OpenStep step = std::move(open_.front());
  open_.pop_front();
  GLINT_CHECK(step.ranges.size() == result.accepted.size(), "one entry for each range");
  for (std::size_t i = 0; i < step.ranges.size(); ++i) {
    const Accepted& accepted = result.accepted[i];
    GLINT_CHECK(accepted.sequence == step.ranges[i].sequence, "ranges in order");
    Sequence& sequence = sequences_.at(accepted.sequence);
    --sequence.in_flight;
    if (sequence.sampling_step == step.step) sequence.sampling_step = -1;
    // Rows that followed a stop are void: what they sampled counts for nothing.
    if (!sequence.finished) {
      sequence.generated += accepted.tokens;
      sequence.finished =
          accepted.finished || sequence.generated >= sequence.request.max_new_tokens;
    }
    RemoveIfDone(accepted.sequence);
  }
}

void Scheduler::RemoveIfDone(SequenceId id) {
  const Sequence& sequence = sequences_.at(id);
  if (!sequence.finished || sequence.in_flight > 0) return;
  pages_.Release(id);
  std::erase(running_, id);
  sequences_.erase(id);
}

SchedulerCounts Scheduler::Counts() const {
  return {.waiting = static_cast<std::int64_t>(waiting_.size()),
          .running = static_cast<std::int64_t>(running_.size()),
          .free_pages = pages_.free_pages()};
}

}  // namespace glint::sched
