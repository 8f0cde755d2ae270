// SPDX-License-Identifier: Apache-2.0
#include "engine/step_cost_adapter.h"

#include <gtest/gtest.h>

#include <random>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::engine {
namespace {

using std::chrono::nanoseconds;

spec::StepCostModel Model(const char* name) {
  return {spec::ParseBuiltin(name).value(), spec::StorageFormat::kBf16};
}

// A machine whose steps take what these costs say, so many ns.
struct Machine {
  double overhead_ns;
  double ns_per_weight_byte;
  double ns_per_cache_byte;
  double ns_per_flop;
  [[nodiscard]] nanoseconds Time(const spec::StepCostModel& model,
                                 const sched::StepCounts& counts) const {
    const spec::StepCostTerms terms = model.Terms({.rows = counts.rows,
                                                   .sampled_rows = counts.sampled_rows,
                                                   .context_tokens = counts.context_tokens});
    return nanoseconds(static_cast<std::int64_t>(
        overhead_ns + ns_per_weight_byte * terms.weight_bytes +
        ns_per_cache_byte * terms.cache_bytes + ns_per_flop * terms.flops));
  }
};

constexpr Machine kMachines[] = {{2e5, 0.1, 0.3, 0.01}, {0, 0.02, 0, 0.03}, {1e6, 0, 5, 0.0001}};

sched::StepCounts RandomCounts(std::mt19937& random) {
  const auto rows = static_cast<std::int64_t>(1 + random() % (random() % 2 == 0 ? 8 : 512));
  return {.rows = rows,
          .sampled_rows = 1 + static_cast<std::int64_t>(random()) % rows,
          .context_tokens = rows * static_cast<std::int64_t>(1 + random() % 2000)};
}

TEST(FittedStepCost, SaysNothingUntilItHasSeenAFewSteps) {
  FittedStepCost cost(Model("bench-dense"));
  const sched::StepCounts counts{.rows = 1, .sampled_rows = 1, .context_tokens = 10};
  EXPECT_EQ(cost.Estimate(counts).count(), 0);
  for (int step = 0; step < 8; ++step) cost.Observe(counts, std::chrono::milliseconds(10));
  EXPECT_NEAR(static_cast<double>(cost.Estimate(counts).count()), 1e7, 1e5);
  EXPECT_EQ(cost.Estimate({}).count(), 0);
}

TEST(FittedStepCost, FindsTheCostsOfAMachineThatKeepsToTheFormula) {
  for (const char* name : {"bench-dense", "bench-s"}) {
    const spec::StepCostModel model = Model(name);
    for (const Machine& machine : kMachines) {
      FittedStepCost cost(model);
      std::mt19937 random(1);
      for (int step = 0; step < 300; ++step) {
        const sched::StepCounts counts = RandomCounts(random);
        cost.Observe(counts, machine.Time(model, counts));
      }
      for (int step = 0; step < 50; ++step) {
        const sched::StepCounts counts = RandomCounts(random);
        const auto time = static_cast<double>(machine.Time(model, counts).count());
        EXPECT_NEAR(static_cast<double>(cost.Estimate(counts).count()), time, 0.02 * time);
      }
    }
  }
}

// Another process takes the cores now and then: the estimate is the mean, not the best case.
TEST(FittedStepCost, NoiseDoesNotPullTheEstimateBelowTheMean) {
  FittedStepCost cost(Model("bench-dense"));
  const sched::StepCounts counts{.rows = 4, .sampled_rows = 4, .context_tokens = 100};
  for (int step = 0; step < 64; ++step) {
    cost.Observe(counts, std::chrono::milliseconds(step % 4 == 0 ? 34 : 2));
  }
  EXPECT_NEAR(static_cast<double>(cost.Estimate(counts).count()), 1e7, 2e5);
}

TEST(FittedStepCost, DecodingForLongDoesNotMakeItForgetPrompts) {
  const spec::StepCostModel model = Model("bench-dense");
  FittedStepCost cost(model);
  const sched::StepCounts prompt{.rows = 512, .sampled_rows = 1, .context_tokens = 131'072};
  for (int step = 0; step < 4; ++step) cost.Observe(prompt, kMachines[0].Time(model, prompt));
  for (std::int64_t step = 0; step < 5000; ++step) {
    const sched::StepCounts one{.rows = 1, .sampled_rows = 1, .context_tokens = 100 + step};
    cost.Observe(one, kMachines[0].Time(model, one));
  }
  const auto time = static_cast<double>(kMachines[0].Time(model, prompt).count());
  EXPECT_NEAR(static_cast<double>(cost.Estimate(prompt).count()), time, 0.05 * time);
}

TEST(FittedStepCost, IsNeverLessForALargerStepWhateverWasMeasured) {
  FittedStepCost cost(Model("bench-s"));
  std::mt19937 random(2);
  for (int step = 0; step < 200; ++step) {
    cost.Observe(RandomCounts(random), nanoseconds(1 + random() % 100'000'000));
    sched::StepCounts counts = RandomCounts(random);
    const nanoseconds before = cost.Estimate(counts);
    counts.rows += 1;
    counts.context_tokens += 1 + static_cast<std::int64_t>(random() % 100);
    EXPECT_GE(cost.Estimate(counts), before);
  }
}

}  // namespace
}  // namespace glint::engine
