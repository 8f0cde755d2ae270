// SPDX-License-Identifier: Apache-2.0
#include "load/reply_reader.h"

#include <gtest/gtest.h>

namespace glint::load {
namespace {

using std::chrono::milliseconds;

std::string Chunk(const std::string& choice) { return "data: {\"choices\":[" + choice + "]}\n\n"; }

const std::string kUsage =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":7,"
    "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n";

TEST(ReplyReader, OutputIsTimedAndUsageCounted) {
  RequestRecord record;
  ReplyReader reader(record, true);
  ASSERT_TRUE(
      reader.Push(Chunk(R"({"delta":{"role":"assistant","content":""}})"), milliseconds(1)).ok());
  ASSERT_TRUE(reader.Push(Chunk(R"({"delta":{"reasoning_content":"so"}})"), milliseconds(20)).ok());
  ASSERT_TRUE(reader.Push(Chunk(R"({"delta":{"content":"it is"}})"), milliseconds(30)).ok());
  ASSERT_TRUE(
      reader
          .Push(Chunk(R"({"delta":{},"finish_reason":"stop"})") + kUsage + "data: [DONE]\n\n",
                milliseconds(45))
          .ok());
  ASSERT_TRUE(reader.Finish().ok());
  EXPECT_EQ(record.events, (std::vector<RequestRecord::Time>{milliseconds(20), milliseconds(30)}));
  EXPECT_EQ(record.output_tokens, 7);
  EXPECT_EQ(record.input_tokens, 12);
  EXPECT_EQ(record.cached_tokens, 4);
  EXPECT_EQ(record.text, "soit is");
  EXPECT_DOUBLE_EQ(record.ttft_s(), 0.020);
  EXPECT_DOUBLE_EQ(record.latency_s(), 0.030);
  EXPECT_DOUBLE_EQ(*record.tpot_s(), 0.010 / 6);
}

TEST(ReplyReader, CompletionsAndToolCallsCountAsOutput) {
  RequestRecord record;
  ReplyReader reader(record, false);
  ASSERT_TRUE(reader.Push(Chunk(R"({"text":"a"})"), milliseconds(1)).ok());
  ASSERT_TRUE(
      reader.Push(Chunk(R"({"delta":{"tool_calls":[{"index":0}]}})"), milliseconds(2)).ok());
  EXPECT_EQ(record.events.size(), 2U);
  EXPECT_EQ(record.text, "");
}

TEST(ReplyReader, WithoutUsageEventsAreCounted) {
  RequestRecord record;
  record.asked_input_tokens = 9;
  ReplyReader reader(record, false);
  ASSERT_TRUE(
      reader
          .Push(Chunk(R"({"text":"a"})") + Chunk(R"({"text":"b","finish_reason":"length"})"),
                milliseconds(1))
          .ok());
  ASSERT_TRUE(reader.Finish().ok());
  EXPECT_FALSE(record.has_usage);
  EXPECT_EQ(record.output_tokens, 2);
  EXPECT_EQ(record.input_tokens, 9);
}

TEST(ReplyReader, ACutStreamIsNotAReply) {
  for (const std::string& text :
       {std::string(), Chunk(R"({"text":"a"})"), Chunk(R"({"text":"a"})") + "data: {\"choi",
        Chunk(R"({"text":"a","finish_reason":"stop"})") + "data: [DO"}) {
    RequestRecord record;
    ReplyReader reader(record, false);
    ASSERT_TRUE(reader.Push(text, milliseconds(1)).ok());
    EXPECT_EQ(reader.Finish().error().code, ErrorCode::kDataLoss) << text;
  }
}

TEST(ReplyReader, ErrorsInTheStreamAreErrors) {
  RequestRecord record;
  ReplyReader reader(record, false);
  const Status failed =
      reader.Push("data: {\"error\":{\"message\":\"no room\"}}\n\n", milliseconds(1));
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(failed.error().message.find("no room"), std::string::npos);
  ReplyReader other(record, false);
  EXPECT_EQ(other.Push("data: {oops\n\n", milliseconds(1)).error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace glint::load
