// SPDX-License-Identifier: Apache-2.0
#include "load/workload.h"

#include <gtest/gtest.h>

#include <set>

#include "load/conversation.h"

namespace glint::load {
namespace {

std::vector<PlannedConversation> All(const WorkloadOptions& options) {
  auto workload = Workload::Create(options);
  EXPECT_TRUE(workload.ok());
  std::vector<PlannedConversation> out;
  while (auto next = workload.value()->Next(0)) out.push_back(std::move(*next));
  return out;
}

TEST(Workload, LengthsStayInTheRange) {
  const auto plans =
      All({.requests = 2000, .input_tokens = 100, .output_tokens = 10, .range_ratio = 0.8});
  ASSERT_EQ(plans.size(), 2000U);
  std::set<std::int64_t> inputs, outputs;
  for (const auto& plan : plans) {
    inputs.insert(plan.turns[0].input_tokens);
    outputs.insert(plan.turns[0].output_tokens);
  }
  EXPECT_EQ(*inputs.begin(), 80);
  EXPECT_EQ(*inputs.rbegin(), 100);
  EXPECT_EQ(outputs, (std::set<std::int64_t>{8, 9, 10}));
}

TEST(Workload, TheDurationEndsAnOpenLoopByItsSchedule) {
  const auto plans =
      All({.duration_s = 2, .arrivals = ArrivalOptions{.rate_per_s = 10, .constant = true}});
  EXPECT_EQ(plans.size(), 19U);  // 0.1 to 1.9 s
  EXPECT_DOUBLE_EQ(*plans[4].at_s, 0.5);
}

TEST(Workload, TheDurationEndsAClosedLoopByTheClock) {
  const auto workload = Workload::Create({.duration_s = 2}).value();
  EXPECT_TRUE(workload->Next(1.9).has_value());
  EXPECT_FALSE(workload->Next(2).has_value());
  EXPECT_FALSE(workload->Next(0).has_value());  // an end is final
}

TEST(Workload, TurnsCountAsRequests) {
  const auto plans = All({.requests = 7, .turns = 3});
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[1].first_request, 3);
  EXPECT_EQ(plans[2].turns.size(), 1U);
}

TEST(Workload, TheCancelShareIsKept) {
  int cancelled = 0;
  for (const auto& plan : All({.requests = 4000, .cancel_share = 0.25})) {
    cancelled += plan.turns[0].cancel ? 1 : 0;
  }
  EXPECT_NEAR(cancelled, 1000, 4 * std::sqrt(4000 * 0.25 * 0.75));
}

TEST(Workload, ATraceIsReplayedAtItsSpeed) {
  const std::vector<TraceRequest> trace = {
      {.at_s = 0, .input_tokens = 10, .output_tokens = 3, .block_ids = {}},
      {.at_s = 6, .input_tokens = 600, .output_tokens = 4, .block_ids = {7, 8}}};
  const auto plans =
      All({.arrivals = ArrivalOptions{.rate_per_s = 1}, .trace = trace, .trace_speed = 3});
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_DOUBLE_EQ(*plans[1].at_s, 2);
  EXPECT_EQ(plans[1].turns[0].input_tokens, 600);
  EXPECT_EQ(All({.requests = 1, .trace = trace}).size(), 1U);
}

TEST(Workload, RefusesWhatHasNoEndOrNoMeaning) {
  const auto refused = [](const WorkloadOptions& options) {
    return !Workload::Create(options).ok();
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({.requests = -1}));
  EXPECT_TRUE(refused({.requests = 1, .input_tokens = 0}));
  EXPECT_TRUE(refused({.requests = 1, .output_tokens = 0}));
  EXPECT_TRUE(refused({.requests = 1, .range_ratio = 0}));
  EXPECT_TRUE(refused({.requests = 1, .prefix_share = 1.5}));
  EXPECT_TRUE(refused({.requests = 1, .turns = 0}));
  EXPECT_TRUE(refused({.requests = 1, .cancel_share = -0.1}));
  EXPECT_TRUE(refused({.requests = 1, .trace_speed = 0}));
}

std::vector<std::int64_t> Ids(const std::string& body) {
  const Json json = ParseJson(body, "body").value();
  std::vector<std::int64_t> ids;
  ids.reserve(json.Find("prompt")->array()->size());
  for (const Json& id : *json.Find("prompt")->array()) ids.push_back(id.AsInt().value());
  return ids;
}

class ConversationTest : public testing::Test {
 protected:
  std::vector<std::int64_t> FirstPrompt(const PlannedConversation& plan) {
    return Ids(Conversation(api_, ids_, plan).TurnBody(0));
  }
  const ApiOptions api_{.chat = false, .model = "m"};
  const Vocabulary ids_ = Vocabulary::OfIds(1000, 2000).value();
};

TEST_F(ConversationTest, APromptHasExactlyTheTokensPlanned) {
  for (const auto& plan : All({.requests = 20, .input_tokens = 50, .range_ratio = 0.1})) {
    const auto ids = FirstPrompt(plan);
    EXPECT_EQ(static_cast<std::int64_t>(ids.size()), plan.turns[0].input_tokens);
    for (const auto id : ids) EXPECT_TRUE(id >= 1000 && id < 2000);
  }
}

TEST_F(ConversationTest, AGroupSharesItsPrefixAndNothingElse) {
  const auto plans =
      All({.requests = 4, .input_tokens = 100, .prefix_share = 0.6, .prefix_groups = 2});
  std::vector<std::vector<std::int64_t>> prompts;
  prompts.reserve(plans.size());
  for (const auto& plan : plans) prompts.push_back(FirstPrompt(plan));
  const auto common = [&](std::size_t a, std::size_t b) {
    const auto stop = std::mismatch(prompts[a].begin(), prompts[a].end(), prompts[b].begin());
    return stop.first - prompts[a].begin();
  };
  EXPECT_GE(common(0, 2), 60);
  EXPECT_LT(common(0, 2), 63);
  EXPECT_LT(common(0, 1), 3);
  EXPECT_LT(common(2, 3), 3);
}

TEST_F(ConversationTest, BlocksWithOneIdAreEqual) {
  const PlannedConversation a{.seed = 1, .block_ids = {5, 6}, .turns = {{700, 1, false}}};
  const PlannedConversation b{.seed = 2, .block_ids = {5, 9}, .turns = {{900, 1, false}}};
  const auto first = FirstPrompt(a);
  const auto second = FirstPrompt(b);
  EXPECT_EQ(first.size(), 700U);
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 512, second.begin()));
  EXPECT_NE(first[513], second[513]);
}

TEST_F(ConversationTest, LaterTurnsRepeatWhatWasSaid) {
  const PlannedConversation plan{.seed = 1, .turns = {{10, 5, false}, {7, 5, false}}};
  Conversation ids(api_, ids_, plan);
  const auto first = Ids(ids.TurnBody(0));
  ids.AddReply("", 5);
  const auto second = Ids(ids.TurnBody(1));
  EXPECT_EQ(second.size(), 22U);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
  EXPECT_EQ(ids.prompt_tokens(), 22);

  const ApiOptions chat{.chat = true, .model = "m"};
  const Vocabulary words = Vocabulary::OfWords();
  Conversation talk(chat, words, plan);
  talk.TurnBody(0);
  talk.AddReply("so it is", 3);
  const Json body = ParseJson(talk.TurnBody(1), "body").value();
  const Json::Array& messages = *body.Find("messages")->array();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(*messages[1].Find("content")->string(), "so it is");
}

TEST_F(ConversationTest, TheBodyAsksForAStreamWithUsage) {
  ApiOptions api = api_;
  api.ignore_eos = true;
  api.extra = ParseJson(R"({"top_k":5})", "extra").value();
  const PlannedConversation plan{.seed = 1, .turns = {{3, 9, false}}};
  const Json body = ParseJson(Conversation(api, ids_, plan).TurnBody(0), "body").value();
  EXPECT_EQ(*body.Find("stream")->boolean(), true);
  EXPECT_EQ(*body.Find("stream_options")->Find("include_usage")->boolean(), true);
  EXPECT_EQ(body.Find("max_tokens")->AsInt(), 9);
  EXPECT_EQ(*body.Find("ignore_eos")->boolean(), true);
  EXPECT_EQ(body.Find("top_k")->AsInt(), 5);
}

}  // namespace
}  // namespace glint::load
