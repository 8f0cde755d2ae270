// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace glint::sched {
namespace {

constexpr std::chrono::nanoseconds kNow{0};
constexpr SequenceId kA{1};
constexpr SequenceId kB{2};

Scheduler Make(std::int32_t pages, std::int64_t step_tokens = 8, std::int64_t sequences = 4) {
  return Scheduler::Create({.pages = {.page_count = pages, .page_tokens = 4},
                            .step_tokens = step_tokens,
                            .max_sequences = sequences,
                            .max_waiting = 3})
      .value();
}

// One token for every range that samples.
StepResult Sampled(const StepPlan& plan) {
  StepResult result{.step = plan.step, .accepted = {}};
  for (const MicroBatch& batch : plan.micro_batches) {
    for (const RowRange& range : batch.ranges) {
      result.accepted.push_back({.sequence = range.sequence, .tokens = range.sample ? 1 : 0});
    }
  }
  return result;
}

TEST(Scheduler, PromptGoesInChunksThenOneRowAStep) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 11, 3}).ok());
  std::vector<std::pair<std::int64_t, bool>> steps;  // rows, sample
  for (StepPlan plan = scheduler.Plan(kNow); !plan.empty(); plan = scheduler.Plan(kNow)) {
    steps.emplace_back(plan.RowCount(), plan.micro_batches[0].ranges[0].sample);
    scheduler.Commit(Sampled(plan));
  }
  // The third token is returned, never fed back.
  EXPECT_EQ(steps, (std::vector<std::pair<std::int64_t, bool>>{
                       {8, false}, {3, true}, {1, true}, {1, true}}));
  EXPECT_EQ(scheduler.Counts().free_pages, 16);
  EXPECT_EQ(scheduler.Counts().running, 0);
}

TEST(Scheduler, DecodingRowsComeBeforePromptChunks) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 2, 4}).ok());
  scheduler.Commit(Sampled(scheduler.Plan(kNow)));
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 20, 4}).ok());
  const StepPlan plan = scheduler.Plan(kNow);
  ASSERT_EQ(plan.micro_batches[0].ranges.size(), 2U);
  EXPECT_EQ(plan.micro_batches[0].ranges[0].sequence, kA);
  EXPECT_EQ(plan.micro_batches[0].ranges[1].count, 7);
}

TEST(Scheduler, StepAheadRefersToTheSampleInFlight) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 2, 4}).ok());
  const StepPlan first = scheduler.Plan(kNow);
  const StepPlan second = scheduler.Plan(kNow);
  EXPECT_EQ(first.micro_batches[0].ranges[0].token_from_step, -1);
  EXPECT_EQ(second.micro_batches[0].ranges[0].token_from_step, first.step);
  EXPECT_EQ(second.micro_batches[0].ranges[0].first_position, 2);
  scheduler.Commit(Sampled(first));
  const StepPlan third = scheduler.Plan(kNow);
  EXPECT_EQ(third.micro_batches[0].ranges[0].token_from_step, second.step);
}

TEST(Scheduler, StopFoundOneStepLateIsRolledBack) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 2, 10}).ok());
  const StepPlan first = scheduler.Plan(kNow);
  const StepPlan void_plan = scheduler.Plan(kNow);
  StepResult stop = Sampled(first);
  stop.accepted[0].finished = true;
  scheduler.Commit(stop);
  EXPECT_EQ(scheduler.Counts().free_pages, 13) << "pages are in use by the open step";
  EXPECT_TRUE(scheduler.Plan(kNow).empty());
  scheduler.Commit(Sampled(void_plan));
  EXPECT_EQ(scheduler.Counts().free_pages, 16);
}

TEST(Scheduler, WaitsForPagesAndAdmitsInOrder) {
  Scheduler scheduler = Make(4);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 8, 4}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 8, 4}).ok());
  const StepPlan plan = scheduler.Plan(kNow);
  EXPECT_EQ(scheduler.Counts().waiting, 1);
  StepResult result = Sampled(plan);
  result.accepted[0].finished = true;
  scheduler.Commit(result);
  EXPECT_EQ(scheduler.Plan(kNow).micro_batches[0].ranges[0].sequence, kB);
}

TEST(Scheduler, CancelReturnsPagesAtOnceOrWithTheOpenStep) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 8, 4}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 8, 4}).ok());
  scheduler.Cancel(kB);  // still waiting
  const StepPlan plan = scheduler.Plan(kNow);
  EXPECT_EQ(scheduler.Counts().running, 1);
  scheduler.Cancel(kA);
  EXPECT_EQ(scheduler.Counts().free_pages, 13);
  scheduler.Commit(Sampled(plan));
  EXPECT_EQ(scheduler.Counts().free_pages, 16);
  scheduler.Cancel(kA);
}

TEST(Scheduler, RefusesWhatCanNeverRunAndWhatDoesNotFitTheQueue) {
  Scheduler scheduler = Make(4);
  EXPECT_EQ(scheduler.Submit(kNow, {kA, 15, 2}).error().message,
            "prompt plus new tokens is 17, the cache holds 16");
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ASSERT_TRUE(scheduler.Submit(kNow, {SequenceId{id}, 1, 1}).ok());
  }
  EXPECT_EQ(scheduler.Submit(kNow, {kA, 1, 1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(scheduler.Submit(kNow, {SequenceId{9}, 1, 1}).error().code,
            ErrorCode::kResourceExhausted);
}

TEST(Scheduler, OptionsOutOfRangeAreRefusedByName) {
  const auto message = [](Scheduler::Options options) {
    options.pages.page_count = 1;
    return Scheduler::Create(options).error().message;
  };
  EXPECT_EQ(message({.pages = {}, .step_tokens = 0}), "tokens per step is 0, must be above 0");
  EXPECT_EQ(message({.pages = {}, .step_tokens = 4, .max_sequences = 5}),
            "sequences at once is 5, must be 1 to 4, the tokens per step");
  EXPECT_EQ(message({.pages = {}, .max_waiting = -1}), "queue length is -1, must not be negative");
}

// Random requests, stops and cancels, with or without a step ahead. Checks the budget, that each
// position of a sequence is planned once and in order, that a token is used only after it was
// sampled, and that all pages come back.
class RandomTrace {
 public:
  RandomTrace(std::uint32_t seed, bool ahead) : random_(seed), ahead_(ahead) {}

  void Run() {
    Scheduler scheduler = Make(12, 6, 3);
    std::uint64_t next_id = 1;
    for (int turn = 0; turn < 200; ++turn) {
      if (turn < 120 && Below(3) == 0) {
        const SequenceRequest request{SequenceId{next_id++}, 1 + Below(15), 1 + Below(9)};
        if (scheduler.Submit(kNow, request).ok()) live_[request.sequence] = {request};
      }
      if (Below(15) == 0 && !live_.empty()) {
        scheduler.Cancel(live_.begin()->first);
        live_.begin()->second.cancelled = true;
      }
      const StepPlan plan = scheduler.Plan(kNow);
      EXPECT_LE(plan.RowCount(), 6);
      if (!plan.empty()) open_.push_back(plan);
      Observe(plan);
      // With nothing new to run there is nothing to be ahead of.
      while (open_.size() > (ahead_ && !plan.empty() ? 1U : 0U)) CommitOldest(scheduler);
    }
    while (!open_.empty()) CommitOldest(scheduler);
    EXPECT_EQ(scheduler.Counts().running, 0);
    EXPECT_EQ(scheduler.Counts().waiting, 0);
    EXPECT_EQ(scheduler.Counts().free_pages, 12);
  }

 private:
  struct Live {
    SequenceRequest request;
    std::int64_t next_position = 0;
    std::int64_t sampled = 0;  // tokens that exist, in flight or not
    bool cancelled = false;
  };

  std::int64_t Below(std::int64_t limit) {
    return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random_);
  }

  void Observe(const StepPlan& plan) {
    if (plan.empty()) return;
    for (const RowRange& range : plan.micro_batches[0].ranges) {
      Live& live = live_.at(range.sequence);
      EXPECT_FALSE(live.cancelled);
      EXPECT_EQ(range.first_position, live.next_position);
      live.next_position += range.count;
      EXPECT_LE(live.next_position, live.request.prompt_tokens + live.sampled);
      if (range.sample) ++live.sampled;
      EXPECT_LE(live.sampled, live.request.max_new_tokens);
    }
  }

  void CommitOldest(Scheduler& scheduler) {
    StepResult result = Sampled(open_.front());
    for (Accepted& accepted : result.accepted) {
      if (accepted.tokens > 0) accepted.finished = Below(6) == 0;
    }
    scheduler.Commit(result);
    open_.erase(open_.begin());
  }

  std::mt19937 random_;
  bool ahead_;
  std::map<SequenceId, Live> live_;
  std::vector<StepPlan> open_;
};

TEST(Scheduler, RandomTracesKeepTheInvariants) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    for (const bool ahead : {false, true}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " ahead " << ahead);
      RandomTrace(seed, ahead).Run();
    }
  }
}

}  // namespace
}  // namespace glint::sched
