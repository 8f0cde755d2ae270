// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/router/router_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

std::string MessageOf(const RouterArgs& args) {
  const Status status = CheckRouterArgs(args);
  return status.ok() ? "" : status.error().message;
}

// Logits, outputs and arguments of one call.
struct Routing {
  Routing(std::int64_t rows, std::int64_t experts, std::int64_t top_k)
      : logits(DType::kF32, rows, experts),
        ids(static_cast<std::size_t>(rows * top_k), -7),
        weights(static_cast<std::size_t>(rows * top_k), -7.0F) {
    args.logits = logits.view();
    args.top_k = top_k;
    args.expert_ids = ids.data();
    args.expert_weights = weights.data();
  }
  void SetLogits(const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      logits.Set(index / args.logits.columns, index % args.logits.columns, values[i]);
    }
  }

  TestActivation logits;
  std::vector<std::int32_t> ids;
  std::vector<float> weights;
  RouterArgs args;
};

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// A bias as GLM-5 has it: 11.2 with noise of 0.1, all different in F32, many equal in BF16.
std::vector<float> LargeBias(std::size_t experts) {
  TestNumbers numbers(99);
  std::vector<float> bias(experts);
  for (float& value : bias) value = 11.2F + 0.1F * static_cast<float>(numbers.Next());
  return bias;
}

std::vector<std::int32_t> IdsByBias(const std::vector<float>& bias, std::size_t count) {
  std::vector<std::int32_t> order(bias.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return bias[static_cast<std::size_t>(a)] > bias[static_cast<std::size_t>(b)];
  });
  order.resize(count);
  return order;
}

TEST(RouterReference, WeighsByTheUnbiasedScoreAndScalesAfterNormalising) {
  Routing routing(1, 4, 2);
  routing.SetLogits({0, 1, 2, 3});
  const std::array<float, 4> bias = {5, 0, 0, 4.4F};
  routing.args.bias = bias.data();
  routing.args.scaling = 2.5F;
  EXPECT_EQ(MessageOf(routing.args), "");
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{0, 3}));  // 5.5, then 5.35
  const double sum = Sigmoid(0) + Sigmoid(3);
  EXPECT_NEAR(routing.weights[0], Sigmoid(0) / sum * 2.5, 1e-6);
  EXPECT_NEAR(routing.weights[1], Sigmoid(3) / sum * 2.5, 1e-6);
}

TEST(RouterReference, KeepsTheScoreWhenNotNormalising) {
  Routing routing(1, 3, 2);
  routing.SetLogits({1, -1, 2});
  routing.args.normalize = false;
  routing.args.scaling = 2;
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{2, 0}));
  EXPECT_NEAR(routing.weights[0], 2 * Sigmoid(2), 1e-6);
  EXPECT_NEAR(routing.weights[1], 2 * Sigmoid(1), 1e-6);
}

TEST(RouterReference, HasNoNanWithALargeBiasAndTinyScores) {
  Routing routing(1, 256, 8);
  const std::vector<float> bias = LargeBias(256);
  TestNumbers numbers(1);
  std::vector<double> logits(256);
  for (double& logit : logits) logit = -20 + numbers.Next();
  routing.SetLogits(logits);
  routing.args.bias = bias.data();
  routing.args.scaling = 2.5F;
  RouterReference(routing.args);
  double sum = 0;
  for (std::size_t slot = 0; slot < 8; ++slot) {
    sum += Sigmoid(logits[static_cast<std::size_t>(routing.ids[slot])]);
  }
  for (std::size_t slot = 0; slot < 8; ++slot) {
    const double want = Sigmoid(logits[static_cast<std::size_t>(routing.ids[slot])]) / sum * 2.5;
    EXPECT_NEAR(routing.weights[slot], want, want * 1e-5);  // the logits are exact in F32
  }
}

TEST(RouterReference, ResolvesTiesByTheLowerId) {
  // Scores of e^-20 vanish in a key of 11.2: all keys are equal, though no two scores are.
  Routing routing(1, 32, 8);
  std::vector<double> logits(32, -20);
  for (std::size_t i = 0; i < 32; ++i) logits[i] += static_cast<double>(i) * 0.01;
  routing.SetLogits(logits);
  const std::vector<float> bias(32, 11.2F);
  routing.args.bias = bias.data();
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_GT(routing.weights[7], routing.weights[0]);
}

TEST(RouterReference, WouldChooseOtherExpertsWithABiasInBf16) {
  Routing routing(1, 256, 8);
  routing.SetLogits(std::vector<double>(256, -20));
  const std::vector<float> bias = LargeBias(256);
  std::vector<float> rounded = bias;
  for (float& value : rounded) value = tensor::Bf16ToFloat(tensor::FloatToBf16(value));
  ASSERT_NE(IdsByBias(rounded, 8), IdsByBias(bias, 8));
  routing.args.bias = bias.data();
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, IdsByBias(bias, 8));
}

TEST(RouterReference, GivesZeroWeightsWhenAllScoresUnderflow) {
  Routing routing(1, 4, 2);
  routing.SetLogits({-200, -200, -300, -200});
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(routing.weights, (std::vector<float>{0, 0}));
}

TEST(RouterReference, ChoosesFromTheBestGroupsOnly) {
  Routing routing(1, 8, 3);
  routing.args.group_count = 4;
  routing.args.group_top_k = 2;
  const std::vector<float> bias = {10, 0, 6, 6, 5, 5, 7, 5};  // sums of two: 10, 12, 10, 12
  routing.SetLogits(std::vector<double>(8, -100));
  routing.args.bias = bias.data();
  EXPECT_EQ(MessageOf(routing.args), "");
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{6, 2, 3}));
  routing.args.group_top_k = 3;  // of the two groups with sum 10 the lower one joins
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{0, 6, 2}));
}

TEST(RouterReference, KeepsIdsInRangeWhenLogitsAreNan) {
  Routing routing(1, 4, 3);
  routing.SetLogits({std::nan(""), 0, std::nan(""), 1});
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{3, 1, 0}));
  for (const float weight : routing.weights) EXPECT_TRUE(std::isnan(weight));
}

TEST(RouterReference, SendsPaddingRowsNowhere) {
  Routing routing(3, 4, 2);
  routing.SetLogits({1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6});
  const std::array<std::int32_t, 3> sequence = {0, -1, 1};
  routing.args.row_sequence = sequence.data();
  RouterReference(routing.args);
  EXPECT_EQ(routing.ids, (std::vector<std::int32_t>{3, 2, -1, -1, 0, 1}));
  EXPECT_EQ(routing.weights[2], 0);
  EXPECT_EQ(routing.weights[3], 0);
}

TEST(CheckRouterArgs, NamesWhatDoesNotFit) {
  Routing routing(2, 8, 2);
  const RouterArgs good = routing.args;
  EXPECT_EQ(MessageOf(good), "");
  RouterArgs args = good;
  args.top_k = 9;
  EXPECT_EQ(MessageOf(args), "router: top_k is 9, must be 1 to 8 experts");
  args = good;
  args.group_count = 3;
  EXPECT_EQ(MessageOf(args),
            "router: group_count is 3, must divide 8 experts into groups of at least 2");
  args.group_count = 4;
  args.group_top_k = 5;
  EXPECT_EQ(MessageOf(args), "router: group_top_k is 5, must be 1 to 4 groups");
  args.group_top_k = 1;
  args.top_k = 3;
  EXPECT_EQ(MessageOf(args), "router: top_k is 3, more than the 2 experts of 1 groups");
  args = good;
  args.expert_ids = nullptr;
  EXPECT_EQ(MessageOf(args), "router: expert_ids is null");
  args = good;
  args.logits.dtype = DType::kBF16;
  EXPECT_EQ(MessageOf(args), "router: logits is BF16, must be F32");
  args = good;
  args.expert_weights = static_cast<float*>(args.logits.data);
  EXPECT_EQ(MessageOf(args), "router: expert_weights shares memory with logits");
}

}  // namespace
}  // namespace glint::kernels
