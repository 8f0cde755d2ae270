// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

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
  EXPECT_EQ(scheduler.Counts().free_pages, 15) << "a page is in use by the open step";
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
  EXPECT_EQ(scheduler.Counts().free_pages, 14);
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

TEST(Scheduler, AnswersTakePagesAsTheyGrow) {
  Scheduler scheduler = Make(16);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 3, 40}).ok());
  std::vector<std::int64_t> free;
  for (int step = 0; step < 4; ++step) {
    scheduler.Commit(Sampled(scheduler.Plan(kNow)));
    free.push_back(scheduler.Counts().free_pages);
  }
  EXPECT_EQ(free, (std::vector<std::int64_t>{15, 15, 14, 14}));
}

TEST(Scheduler, LowerPriorityIsSoonerAndAgingMakesUpForIt) {
  constexpr std::chrono::seconds kLate{25};
  Scheduler scheduler = Make(16, 8, 1);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 2, 1, 2}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 2, 1, 1}).ok());
  ASSERT_TRUE(scheduler.Submit(kLate, {SequenceId{3}, 2, 1, 0}).ok());
  std::vector<SequenceId> order;
  for (StepPlan plan = scheduler.Plan(kLate); !plan.empty(); plan = scheduler.Plan(kLate)) {
    order.push_back(plan.micro_batches[0].ranges[0].sequence);
    scheduler.Commit(Sampled(plan));
  }
  EXPECT_EQ(order, (std::vector<SequenceId>{kB, kA, SequenceId{3}}));
}

TEST(Scheduler, TheNewestOfTheLowestPriorityIsPreemptedAndGoesOnWithItsTokens) {
  Scheduler scheduler = Make(6, 16, 3);
  const SequenceId urgent{3};
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 4, 12}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 4, 12}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {urgent, 4, 8, -1}).ok());
  std::map<SequenceId, std::int64_t> tokens;
  std::map<SequenceId, std::int64_t> recomputed;
  for (StepPlan plan = scheduler.Plan(kNow); !plan.empty(); plan = scheduler.Plan(kNow)) {
    for (const RowRange& range : plan.micro_batches[0].ranges) {
      if (range.first_position == 0 && tokens[range.sequence] > 0) {
        recomputed[range.sequence] = range.count;
      }
      tokens[range.sequence] += range.sample ? 1 : 0;
    }
    scheduler.Commit(Sampled(plan));
  }
  EXPECT_EQ(tokens, (std::map<SequenceId, std::int64_t>{{kA, 12}, {kB, 12}, {urgent, 8}}));
  EXPECT_EQ(recomputed.count(kA) + recomputed.count(urgent), 0U);
  EXPECT_EQ(recomputed.at(kB), 4 + 5) << "prompt and the tokens it had";
  EXPECT_EQ(scheduler.Counts().preemptions, 1);
  EXPECT_EQ(scheduler.Counts().free_pages, 6);
}

TEST(Scheduler, APreemptedSequenceGivesItsPagesBackWithTheOpenStep) {
  Scheduler scheduler = Make(3, 16, 2);
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 4, 8}).ok());
  ASSERT_TRUE(scheduler.Submit(kNow, {kB, 3, 8}).ok());
  std::deque<StepPlan> open;
  std::int64_t preemptions = 0;
  while (scheduler.Counts().running + scheduler.Counts().waiting > 0) {
    StepPlan plan = scheduler.Plan(kNow);
    const bool idle = plan.empty();
    if (!idle) open.push_back(std::move(plan));
    const std::int64_t before = scheduler.Counts().preemptions;
    EXPECT_EQ(before, preemptions) << "a plan preempts nobody whose rows are under way";
    if (open.size() > 1 || (idle && !open.empty())) {
      scheduler.Commit(Sampled(open.front()));
      open.pop_front();
      preemptions = scheduler.Counts().preemptions;
    }
  }
  EXPECT_GE(preemptions, 1);
  EXPECT_EQ(scheduler.Counts().free_pages, 3);
}

TEST(Scheduler, PreemptionsOfASequenceAreBounded) {
  for (const std::int64_t most : {0, 1, 3}) {
    Scheduler scheduler = Scheduler::Create({.pages = {.page_count = 8, .page_tokens = 2},
                                             .step_tokens = 16,
                                             .max_sequences = 8,
                                             .max_preemptions = most})
                              .value();
    for (std::uint64_t id = 0; id < 8; ++id) {
      ASSERT_TRUE(scheduler.Submit(kNow, {SequenceId{id}, 1, 15}).ok());
    }
    int steps = 0;
    for (StepPlan plan = scheduler.Plan(kNow); !plan.empty(); plan = scheduler.Plan(kNow)) {
      scheduler.Commit(Sampled(plan));
      ASSERT_LT(++steps, 1000);
    }
    EXPECT_EQ(scheduler.Counts().running + scheduler.Counts().waiting, 0);
    EXPECT_LE(scheduler.Counts().preemptions, 8 * most);
  }
}

TEST(Scheduler, AFoundPrefixIsNotComputedAgain) {
  Scheduler scheduler = Make(16, 16);
  const auto run = [&](SequenceId id, std::vector<BlockHash> blocks) {
    EXPECT_TRUE(scheduler.Submit(kNow, {id, 9, 1, 0, std::move(blocks)}).ok());
    const StepPlan plan = scheduler.Plan(kNow);
    scheduler.Commit(Sampled(plan));
    return plan.micro_batches[0].ranges[0].first_position;
  };
  EXPECT_EQ(run(kA, {{1, 1}, {1, 2}}), 0);
  EXPECT_EQ(run(kB, {{1, 1}, {1, 2}}), 8);
  EXPECT_EQ(run(SequenceId{3}, {{1, 1}, {2, 2}}), 4);
  EXPECT_EQ(run(SequenceId{4}, {{2, 1}, {1, 2}}), 0) << "another root, another tenant";
  EXPECT_EQ(scheduler.Counts().prefix_queries, 36);
  EXPECT_EQ(scheduler.Counts().prefix_hits, 12);
  EXPECT_EQ(scheduler.Counts().free_pages, 16);
}

TEST(Scheduler, APromptFoundAsAWholeStillRunsItsLastPage) {
  Scheduler scheduler = Make(16, 16);
  for (const SequenceId id : {kA, kB}) {
    ASSERT_TRUE(scheduler.Submit(kNow, {id, 8, 1, 0, {{1, 1}, {1, 2}}}).ok());
    const StepPlan plan = scheduler.Plan(kNow);
    EXPECT_EQ(plan.RowCount(), id == kA ? 8 : 4);
    scheduler.Commit(Sampled(plan));
  }
}

TEST(Scheduler, WhatADiscardedSequenceWroteIsNotFound) {
  Scheduler scheduler = Make(16, 8);
  for (const SequenceId id : {kA, kB}) {
    ASSERT_TRUE(scheduler.Submit(kNow, {id, 9, 1, 0, {{1, 1}, {1, 2}}}).ok());
    const StepPlan first = scheduler.Plan(kNow);
    EXPECT_EQ(first.RowCount(), 8);
    scheduler.Commit(Sampled(first));  // its two pages have names now
    StepResult result = Sampled(scheduler.Plan(kNow));
    result.accepted[0].discard = result.accepted[0].finished = true;
    scheduler.Commit(result);
  }
}

// Field report H5: the queue is bounded by prompt tokens too; one prompt alone may be longer.
TEST(Scheduler, H5TheQueueIsBoundedByPromptTokens) {
  Scheduler scheduler = Scheduler::Create({.pages = {.page_count = 64, .page_tokens = 4},
                                           .max_waiting = 10,
                                           .max_waiting_tokens = 50})
                            .value();
  ASSERT_TRUE(scheduler.Submit(kNow, {kA, 60, 1}).ok());
  EXPECT_EQ(scheduler.Submit(kNow, {kB, 1, 1}).error().message,
            "the queue would hold 61 prompt tokens, its limit is 50");
  (void)scheduler.Plan(kNow);
  EXPECT_TRUE(scheduler.Submit(kNow, {kB, 1, 1}).ok());
}

}  // namespace
}  // namespace glint::sched
