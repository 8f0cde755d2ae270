// SPDX-License-Identifier: Apache-2.0
// Steps under a time target, on a fake clock and a formula for step time.
#include "sched/step_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "sched/scheduler.h"

namespace glint::sched {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// 10 ms, and 100 us a row: ten rows double a step's time.
class Formula : public StepCost {
 public:
  [[nodiscard]] nanoseconds Estimate(const StepCounts& counts) const override {
    return counts.rows == 0 ? nanoseconds(0) : milliseconds(10) + microseconds(100) * counts.rows;
  }
};

TEST(StepBudget, ChunkIsTheLongestThatFits) {
  const Formula cost;
  const StepBudget budget(&cost, milliseconds(15));
  StepCounts counts;
  EXPECT_EQ(budget.Chunk(counts, 0, 512), 50);
  AddRows(100, 1, true, counts);
  EXPECT_EQ(counts.context_tokens, 101);
  EXPECT_EQ(budget.Chunk(counts, 0, 512), 49);
  EXPECT_EQ(budget.Chunk(counts, 0, 20), 20);
  AddRows(0, 60, true, counts);
  EXPECT_EQ(counts.context_tokens, 101 + 30 * 61);
  EXPECT_EQ(budget.Chunk(counts, 0, 512), 0);
  EXPECT_EQ(StepBudget(&cost, {}).Chunk(counts, 0, 512), 512);
  EXPECT_EQ(StepBudget(nullptr, milliseconds(1)).Chunk(counts, 0, 512), 512);
}

TEST(EstimateFirstToken, CountsWhatIsAheadAndTheWaitForAPlace) {
  const QueueLoad load{.waiting = 2,
                       .waiting_tokens = 30,
                       .running_prompt_tokens = 20,
                       .ns_per_prompt_token = 10,
                       .ns_per_start = 1000};
  EXPECT_EQ(EstimateFirstToken(load, 50).count(), 1000 + 3000);
  EXPECT_EQ(EstimateFirstToken({}, 50).count(), 0);
}

struct Outcome {
  std::int64_t finished = 0;
  std::int64_t refused = 0;
  std::int64_t tokens = 0;
  nanoseconds end{};
  std::vector<nanoseconds> first_tokens;
  std::vector<nanoseconds> per_token;  // mean of each answer after its first token

  [[nodiscard]] double Goodput() const {
    return static_cast<double>(tokens) / std::chrono::duration<double>(end).count();
  }
};

nanoseconds Percentile(std::vector<nanoseconds> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

struct Load {
  nanoseconds between{};  // two arrivals; 0: all at once
  int requests = 200;
  nanoseconds first_token{};  // refuse what would come later; 0: take all
};

// Runs requests of 20-400 prompt tokens and 20-100 new ones through the scheduler; a step takes
// what the formula says, and the clock is moved by it.
Outcome Simulate(const Scheduler::Options& options, const Load& load) {
  const Formula cost;
  Scheduler scheduler = Scheduler::Create(options).value();
  std::mt19937 random(5);
  Outcome outcome;
  struct Times {
    nanoseconds arrived{};
    nanoseconds first{};
    std::int64_t tokens = 0;
    std::int64_t wanted = 0;
  };
  std::map<SequenceId, Times> live;
  nanoseconds now{0};
  int sent = 0;
  while (sent < load.requests || !live.empty()) {
    for (; sent < load.requests && load.between * sent <= now; ++sent) {
      const SequenceRequest request{static_cast<SequenceId>(sent),
                                    20 + static_cast<std::int64_t>(random() % 381),
                                    20 + static_cast<std::int64_t>(random() % 81)};
      if (load.first_token.count() > 0 &&
          !KeepsFirstToken(scheduler.Load(), request.prompt_tokens, load.first_token)) {
        ++outcome.refused;
        continue;
      }
      EXPECT_TRUE(scheduler.Submit(now, request).ok());
      live[request.sequence] = {.arrived = load.between * sent, .wanted = request.max_new_tokens};
    }
    const StepPlan plan = scheduler.Plan(now);
    if (plan.empty()) {
      now = load.between * sent;
      continue;
    }
    now += cost.Estimate(CountsOf(plan));
    StepResult result{.step = plan.step, .accepted = {}};
    for (const RowRange& range : plan.micro_batches[0].ranges) {
      result.accepted.push_back({.sequence = range.sequence, .tokens = range.sample ? 1 : 0});
      if (!range.sample) continue;
      Times& times = live[range.sequence];
      if (times.tokens++ == 0) times.first = now;
      if (times.tokens < times.wanted) continue;
      ++outcome.finished;
      outcome.tokens += times.tokens;
      outcome.first_tokens.push_back(times.first - times.arrived);
      outcome.per_token.push_back((now - times.first) / (times.tokens - 1));
      live.erase(range.sequence);
    }
    scheduler.Commit(result);
  }
  outcome.end = now;
  return outcome;
}

Scheduler::Options Options(const StepCost& cost, nanoseconds step_target,
                           std::int64_t sequences = 256) {
  return {.pages = {.page_count = 20000, .page_tokens = 16},
          .step_tokens = 512,
          .max_sequences = sequences,
          .step_cost = &cost,
          .step_target = step_target};
}

TEST(SchedulerTarget, ChunksShrinkWhileOthersDecodeAndOnlyThen) {
  const Formula cost;
  Scheduler scheduler = Scheduler::Create(Options(cost, milliseconds(15))).value();
  ASSERT_TRUE(scheduler.Submit({}, {SequenceId{1}, 400, 10}).ok());
  const StepPlan alone = scheduler.Plan({});
  EXPECT_EQ(alone.RowCount(), 400);
  scheduler.Commit({.step = alone.step, .accepted = {{.sequence = SequenceId{1}, .tokens = 1}}});
  ASSERT_TRUE(scheduler.Submit({}, {SequenceId{2}, 400, 10}).ok());
  EXPECT_EQ(scheduler.Plan({}).RowCount(), 50);
}

TEST(SchedulerTarget, APromptRunsEvenWhenNoChunkFits) {
  const Formula cost;
  Scheduler scheduler = Scheduler::Create(Options(cost, milliseconds(1))).value();
  ASSERT_TRUE(scheduler.Submit({}, {SequenceId{1}, 400, 2}).ok());
  ASSERT_TRUE(scheduler.Submit({}, {SequenceId{2}, 400, 2}).ok());
  EXPECT_EQ(scheduler.Plan({}).RowCount(), 400) << "one alone is always admitted";
}

// Under any load, answers keep the target: the batch stops growing before it would break it.
TEST(SchedulerTarget, TokensKeepTheirTargetUnderThreeTimesTheCapacity) {
  const Formula cost;
  for (const milliseconds target : {milliseconds(14), milliseconds(20), milliseconds(40)}) {
    const Outcome outcome =
        Simulate(Options(cost, target), {.between = milliseconds(20), .requests = 400});
    EXPECT_EQ(outcome.finished, 400);
    EXPECT_LE(Percentile(outcome.per_token, 1.0), target);
  }
}

// The best of a fixed batch whose answers keep the target is what the adaptive one is measured by.
TEST(SchedulerTarget, GoodputIsNearTheBestFixedBatch) {
  const Formula cost;
  constexpr milliseconds kTarget{20};
  double best = 0;
  for (const std::int64_t batch : {1, 4, 8, 16, 32, 48, 64, 80}) {
    const Outcome fixed = Simulate(Options(cost, {}, batch), {.requests = 400});
    if (Percentile(fixed.per_token, 0.95) <= kTarget) best = std::max(best, fixed.Goodput());
  }
  const Outcome adaptive = Simulate(Options(cost, kTarget), {.requests = 400});
  EXPECT_GE(adaptive.Goodput(), 0.9 * best);
}

// What is taken has its first token in time; the rest is refused when it comes.
TEST(SchedulerTarget, FirstTokensComeInTimeOrTheRequestIsRefused) {
  const Formula cost;
  constexpr milliseconds kFirst{1500};
  const Outcome outcome =
      Simulate(Options(cost, milliseconds(20)),
               {.between = milliseconds(20), .requests = 600, .first_token = kFirst});
  EXPECT_EQ(outcome.finished + outcome.refused, 600);
  EXPECT_GT(outcome.refused, 100);
  EXPECT_GT(outcome.finished, 100);
  EXPECT_LE(Percentile(outcome.first_tokens, 0.95), kFirst);
  const Outcome light =
      Simulate(Options(cost, milliseconds(20)),
               {.between = milliseconds(1000), .requests = 50, .first_token = kFirst});
  EXPECT_EQ(light.refused, 0);
}

}  // namespace
}  // namespace glint::sched
