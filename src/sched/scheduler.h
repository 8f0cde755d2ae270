// SPDX-License-Identifier: Apache-2.0
// Which tokens go into the next step. Pure arithmetic: no tensor, device, clock or thread, so that
// the engine and the simulator run the same decisions.
//
// Order: by time of arrival plus `aging` for each unit of priority, so FCFS inside a class, and a
// request waits for those of a better class only if they came early enough. Admission gives pages
// for the prompt, those that are found under its blocks' names for nothing; the answer takes a page
// when it needs one. When none is left, the newest of the lowest priority is preempted: it keeps
// its tokens, waits at its old place and is computed again; after `max_preemptions` it is admitted
// with all the pages it can need. Each step takes one row of every sequence that decodes, then
// fills the token budget with chunks of prompts. With a target for the time of a step, chunks are
// as long as the cost says that they may be while others decode, and nobody is admitted with whom
// the batch would break it. Why: docs/decisions/0008.
//
// One step ahead: Plan may be called once more before the previous step was committed. A row whose
// token is still being sampled refers to that step (RowRange::token_from_step); when the sample
// turns out to be a stop, the row planned after it is void, and Commit rolls it back.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "sched/page_table.h"
#include "sched/queue_load.h"
#include "sched/step_budget.h"
#include "sched/step_cost.h"
#include "sched/step_plan.h"

namespace glint::sched {

struct SequenceRequest {
  SequenceId sequence{};
  std::int64_t prompt_tokens = 0;   // > 0
  std::int64_t max_new_tokens = 0;  // > 0
  std::int32_t priority = 0;        // lower is sooner; beyond +-1,000,000 is as that
  // Names of the prompt's full pages, in order. What has no name is not found and not kept.
  std::vector<BlockHash> blocks{};
};

struct SchedulerCounts {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t free_pages = 0;  // held by nobody, those that may be found again included
  // Since start:
  std::int64_t preemptions = 0;
  std::int64_t evictions = 0;       // pages whose name was given up for room
  std::int64_t prefix_queries = 0;  // prompt tokens of admitted sequences, each counted once
  std::int64_t prefix_hits = 0;     // of these, tokens that were found
};

// Thread-compatible: the engine thread owns it.
class Scheduler {
 public:
  struct Options {
    PageTable::Options pages;
    std::int64_t step_tokens = 512;       // rows of a step, at most; > 0
    std::int64_t max_sequences = 64;      // running at once, at most; > 0
    std::int64_t max_waiting = 1024;      // queue bound; >= 0. Preempted ones do not count
    std::int64_t max_waiting_tokens = 0;  // prompt tokens in the queue; 0: no bound
    std::int64_t max_preemptions = 2;     // of one sequence; >= 0
    std::chrono::nanoseconds aging = std::chrono::seconds(10);  // a unit of priority; >= 0
    bool prefix_cache = true;
    const StepCost* step_cost = nullptr;      // must outlive the scheduler; null: nothing is known
    std::chrono::nanoseconds step_target{0};  // for steps in which somebody decodes; 0: none
  };
  static Result<Scheduler> Create(Options options);

  // Queues a sequence. Fails, and changes nothing, with kInvalidArgument when it could never run
  // (more pages than there are; the id is in use), with kResourceExhausted when the queue is full.
  // `now` is time since start; it never goes back between calls.
  Status Submit(std::chrono::nanoseconds now, SequenceRequest request);

  // Ends a sequence from outside (the client is gone). Pages come back at once, or when the step
  // that uses them is committed. An unknown id is not an error.
  void Cancel(SequenceId sequence);

  // The next step; empty when nothing can run, or not before an open step is committed. At most one
  // plan may be open (not committed) when this is called. The pages of every sequence in it:
  // Pages(sequence).
  StepPlan Plan(std::chrono::nanoseconds now);

  // Reports the oldest open step. `result` must hold each of its ranges, in order.
  void Commit(const StepResult& result);

  [[nodiscard]] std::span<const PageId> Pages(SequenceId sequence) const {
    return pages_.Pages(sequence);
  }
  // What a new sequence would meet. Without a cost, times are 0.
  [[nodiscard]] QueueLoad Load() const;
  [[nodiscard]] const PageTable& page_table() const { return pages_; }
  [[nodiscard]] SchedulerCounts Counts() const;

 private:
  // Place in the order, fixed at arrival.
  struct Rank {
    std::int64_t due_ns = 0;
    std::uint64_t arrival = 0;  // counts up
    auto operator<=>(const Rank&) const = default;
  };
  struct Sequence {
    SequenceRequest request;
    Rank rank;
    std::int64_t planned = 0;         // positions given to a step so far, or found
    std::int64_t committed = 0;       // positions whose rows are done, or found
    std::int64_t named_pages = 0;     // pages that were offered for their names, from the first on
    std::int64_t generated = 0;       // tokens committed
    std::int64_t in_flight = 0;       // open steps that hold rows of this sequence
    std::int64_t sampling_step = -1;  // open step that samples this sequence's next token; -1: none
    std::int64_t preemptions = 0;
    bool running = false;
    bool reserved = false;   // it has all the pages it can need: no victim
    bool leaving = false;    // preempted once in_flight is 0
    bool finished = false;   // nothing more is planned; removed when in_flight is 0
    bool was_found = false;  // the prefix counters know it

    [[nodiscard]] std::int64_t known_tokens() const { return request.prompt_tokens + generated; }
  };
  struct OpenStep {
    std::int64_t step = 0;
    std::vector<RowRange> ranges;
  };

  Scheduler(Options options, PageTable pages)
      : options_(options),
        budget_(options.step_cost, options.step_target),
        pages_(std::move(pages)) {}
  [[nodiscard]] Status CheckQueue(const SequenceRequest& request) const;
  [[nodiscard]] Rank RankOf(std::chrono::nanoseconds now, std::int32_t priority);

  void Admit();
  bool GivePages(Sequence& sequence);
  [[nodiscard]] bool KeepsTarget(const Sequence& next) const;
  void PlanDecodes(StepPlan& plan, MicroBatch& batch, StepCounts& counts);
  void PlanPrompts(StepPlan& plan, MicroBatch& batch, StepCounts& counts);
  // The step of all that decode now, each with one row.
  [[nodiscard]] StepCounts DecodeCounts() const;
  // Rows for one sequence, at most `budget`; nullopt when it has none to give now.
  static std::optional<RowRange> NextRows(const Sequence& sequence, std::int64_t budget);
  [[nodiscard]] bool HasPages(const RowRange& range) const;
  void Take(const RowRange& range, std::int64_t step, MicroBatch& batch);

  // Room for `token_count` tokens; may preempt, `sequence` itself too.
  bool MakeRoom(Sequence& sequence, std::int64_t token_count);
  [[nodiscard]] bool PagesAreComing() const;
  Sequence* ChooseVictim();
  void Suspend(Sequence& sequence);

  void Apply(const Accepted& accepted, const RowRange& range, Sequence& sequence);
  void NamePages(Sequence& sequence);
  void RemoveIfDone(SequenceId id);

  Options options_;
  StepBudget budget_;
  PageTable pages_;
  std::int64_t next_step_ = 0;
  std::uint64_t next_arrival_ = 0;
  std::set<std::pair<Rank, SequenceId>> waiting_;
  std::int64_t waiting_requests_ = 0;  // of the queue, those that never ran
  std::int64_t waiting_tokens_ = 0;    // their prompts
  std::vector<SequenceId> running_;    // in order of rank
  std::unordered_map<SequenceId, Sequence> sequences_;
  std::deque<OpenStep> open_;
  SchedulerCounts counts_;   // of it, those since start
  double mean_answer_ = 64;  // tokens of the last answers, later ones count more
};

}  // namespace glint::sched
