// SPDX-License-Identifier: Apache-2.0
// Which tokens go into the next step. Pure arithmetic: no tensor, device, clock or thread, so that
// the engine and the simulator run the same decisions.
//
// Policy today: first come, first served. A sequence is admitted when pages for its prompt and all
// its new tokens are free, so nothing is ever preempted. Each step takes one row of every sequence
// that decodes, then fills the token budget with prompt chunks in order of arrival.
//
// One step ahead: Plan may be called once more before the previous step was committed. A row whose
// token is still being sampled refers to that step (RowRange::token_from_step); when the sample
// turns out to be a stop, the row planned after it is void, and Commit rolls it back.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "sched/page_table.h"
#include "sched/step_plan.h"

namespace glint::sched {

struct SequenceRequest {
  SequenceId sequence{};
  std::int64_t prompt_tokens = 0;   // > 0
  std::int64_t max_new_tokens = 0;  // > 0
};

struct SchedulerCounts {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t free_pages = 0;
};

// Thread-compatible: the engine thread owns it.
class Scheduler {
 public:
  struct Options {
    PageTable::Options pages;
    std::int64_t step_tokens = 512;   // rows of a step, at most; > 0
    std::int64_t max_sequences = 64;  // running at once, at most; > 0
    std::int64_t max_waiting = 1024;  // queue bound; >= 0
  };
  static Result<Scheduler> Create(Options options);

  // Queues a sequence. Fails, and changes nothing, with kInvalidArgument when it could never run
  // (more pages than there are; the id is in use), with kResourceExhausted when the queue is full.
  // `now` is time since start; it never goes back between calls.
  Status Submit(std::chrono::nanoseconds now, const SequenceRequest& request);

  // Ends a sequence from outside (the client is gone). Pages come back at once, or when the step
  // that uses them is committed. An unknown id is not an error.
  void Cancel(SequenceId sequence);

  // The next step; empty when nothing can run. At most one plan may be open (not committed) when
  // this is called. The pages of every sequence in it: Pages(sequence).
  StepPlan Plan(std::chrono::nanoseconds now);

  // Reports the oldest open step. `result` must hold each of its ranges, in order.
  void Commit(const StepResult& result);

  [[nodiscard]] std::span<const PageId> Pages(SequenceId sequence) const {
    return pages_.Pages(sequence);
  }
  [[nodiscard]] SchedulerCounts Counts() const;

 private:
  struct Sequence {
    SequenceRequest request;
    std::int64_t planned = 0;         // positions given to a step so far
    std::int64_t generated = 0;       // tokens committed
    std::int64_t in_flight = 0;       // open steps that hold rows of this sequence
    std::int64_t sampling_step = -1;  // open step that samples this sequence's next token; -1: none
    bool finished = false;            // nothing more is planned; removed when in_flight is 0
  };
  struct OpenStep {
    std::int64_t step = 0;
    std::vector<RowRange> ranges;
  };

  Scheduler(Options options, PageTable pages) : options_(options), pages_(std::move(pages)) {}
  void Admit();
  // Rows for one sequence, at most `budget`; nullopt when it has none to give now.
  static std::optional<RowRange> NextRows(const Sequence& sequence, std::int64_t budget);
  void Take(const RowRange& range, std::int64_t step, MicroBatch& batch);
  void RemoveIfDone(SequenceId id);

  Options options_;
  PageTable pages_;
  std::int64_t next_step_ = 0;
  std::deque<SequenceRequest> waiting_;
  std::vector<SequenceId> running_;  // in order of admission
  std::unordered_map<SequenceId, Sequence> sequences_;
  std::deque<OpenStep> open_;
};

}  // namespace glint::sched
