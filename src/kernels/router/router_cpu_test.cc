// SPDX-License-Identifier: Apache-2.0
#include "kernels/router/router_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/internal/test_cpu.h"
#include "kernels/router/router_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

struct Routing {
  Routing(std::int64_t rows, std::int64_t experts, std::int64_t top_k)
      : logits(DType::kF32, rows, experts, 1),
        bias(static_cast<std::size_t>(experts)),
        ids(static_cast<std::size_t>(rows * top_k), -7),
        weights(ids.size(), -7.0F) {
    logits.FillRandom(1, 3);
    TestNumbers numbers(2);
    for (float& value : bias) value = 11.2F + 0.1F * static_cast<float>(numbers.Next());
    args.logits = logits.view();
    args.top_k = top_k;
    args.scaling = 2.5F;
    args.expert_ids = ids.data();
    args.expert_weights = weights.data();
  }
  TestActivation logits;
  std::vector<float> bias;
  std::vector<std::int32_t> ids;
  std::vector<float> weights;
  RouterArgs args;
};

// Ids are equal, weights within the contract's (top_k + 4) * 2^-24.
void ExpectReference(Isa isa, Routing& routing) {
  ASSERT_TRUE(CheckRouterArgs(routing.args).ok());
  ASSERT_EQ(CpuFallbackReason(routing.args), "");
  RunOnCpu(RouterCpu, isa, 2, routing.args);
  std::vector<std::int32_t> ids(routing.ids.size());
  std::vector<float> weights(ids.size());
  RouterArgs args = routing.args;
  args.expert_ids = ids.data();
  args.expert_weights = weights.data();
  RouterReference(args);
  EXPECT_EQ(routing.ids, ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double size = std::abs(weights[i]);
    EXPECT_NEAR(routing.weights[i], weights[i],
                std::ldexp(size * static_cast<double>(args.top_k + 4), -24));
  }
}

using RouterCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, RouterCpuOn, EachIsa(), IsaTestName);

TEST_P(RouterCpuOn, ChoosesTheExpertsOfTheReference) {
  for (const std::int64_t rows : {1, 4, 11}) {
    Routing plain(rows, 13, 3);
    ExpectReference(isa(), plain);
    Routing biased(rows, 256, 8);
    biased.args.bias = biased.bias.data();
    ExpectReference(isa(), biased);
    Routing grouped(rows, 64, 6);
    grouped.args.bias = grouped.bias.data();
    grouped.args.group_count = 8;
    grouped.args.group_top_k = 3;
    grouped.args.normalize = false;
    ExpectReference(isa(), grouped);
    Routing all(rows, 8, 8);
    ExpectReference(isa(), all);
  }
}

TEST_P(RouterCpuOn, ResolvesTiesAndNanAsTheReferenceDoes) {
  Routing ties(1, 12, 6);
  for (std::int64_t i = 0; i < 12; ++i) ties.logits.Set(0, i, -20 + 0.01 * static_cast<double>(i));
  ties.bias.assign(12, 11.2F);
  ties.args.bias = ties.bias.data();
  ExpectReference(isa(), ties);
  ties.args.group_count = 3;
  ties.args.group_top_k = 2;
  ExpectReference(isa(), ties);
  Routing nans(1, 4, 3);
  nans.logits.Set(0, 0, NAN);
  nans.logits.Set(0, 2, NAN);
  nans.logits.Set(0, 1, 0);
  nans.logits.Set(0, 3, 1);
  RunOnCpu(RouterCpu, isa(), 1, nans.args);
  EXPECT_EQ(nans.ids, (std::vector<std::int32_t>{3, 1, 0}));
  for (const float weight : nans.weights) EXPECT_TRUE(std::isnan(weight));
}

TEST_P(RouterCpuOn, GivesTheSameBitsForAnyRowsAndThreadsAndSkipsPadding) {
  Routing one(13, 64, 4);
  std::vector<std::int32_t> sequence(13, 0);
  sequence[5] = -1;
  one.args.row_sequence = sequence.data();
  RunOnCpu(RouterCpu, isa(), 1, one.args);
  EXPECT_EQ(one.ids[20], -1);
  EXPECT_EQ(one.weights[23], 0);
  for (const int threads : {2, 3}) {
    Routing other(13, 64, 4);
    other.args.row_sequence = sequence.data();
    RunOnCpu(RouterCpu, isa(), threads, other.args);
    EXPECT_EQ(one.ids, other.ids);
    EXPECT_EQ(one.weights, other.weights);
  }
  Routing alone(13, 64, 4);
  alone.args.logits = RowOf(alone.args.logits, 12);
  RunOnCpu(RouterCpu, isa(), 2, alone.args);
  for (std::size_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(alone.ids[slot], one.ids[48 + slot]);
    EXPECT_EQ(alone.weights[slot], one.weights[48 + slot]);
  }
}

TEST(RouterCpu, LeavesManyExpertsToTheReferenceAndSaysWhy) {
  Routing routing(1, 1025, 2);
  EXPECT_EQ(CpuFallbackReason(routing.args), "router: no CPU kernel for 1025 experts, reference");
  RunOnCpu(RouterCpu, Isa::kBaseline, 2, routing.args);
  EXPECT_NE(routing.ids[1], -7);
}

}  // namespace
}  // namespace glint::kernels
