// SPDX-License-Identifier: Apache-2.0
#include "plan/bench_result.h"

#include <gtest/gtest.h>

namespace glint::plan {
namespace {

constexpr std::string_view kOne =
    R"({"model_id":"glm-5.2","output_throughput":100.5,"total_token_throughput":400.5,)"
    R"("completed":10,"failed":0,"p95_ttft_ms":120.5,"machine":"h200","gpus":8,)"
    R"("accuracy":"GSM8K 0.95"})";

std::string ErrorOf(std::string_view text) {
  const auto points = ParseBenchResults(text, "r.json");
  return points.ok() ? "" : points.error().message;
}

TEST(BenchResult, ReadsVllmKeysAndWhatBelongsToTheSpeed) {
  const auto points = ParseBenchResults(kOne, "r.json");
  ASSERT_TRUE(points.ok()) << points.error().message;
  const SpeedResult& point = points.value().front();
  EXPECT_EQ(point.output_tok_per_s, 100.5);
  EXPECT_EQ(point.input_tok_per_s, 300.0);
  EXPECT_EQ(point.machine, "h200");
  EXPECT_EQ(point.gpus, 8);
  EXPECT_EQ(point.accuracy, std::vector<std::string>{"GSM8K 0.95"});
  EXPECT_EQ(point.latencies_ms.at("p95_ttft_ms"), 120.5);
}

TEST(BenchResult, MetadataAsTextIsUnderstood) {
  const auto points =
      ParseBenchResults(R"({"output_throughput":1,"gpus":"8","cached_input_share":"0.6"})", "r");
  ASSERT_TRUE(points.ok()) << points.error().message;
  EXPECT_EQ(points.value().front().gpus, 8);
  EXPECT_EQ(points.value().front().cached_input_share, 0.6);
}

TEST(BenchResult, TheFastestPointThatKeepsTheLatencyIsChosen) {
  const auto points = ParseBenchResults(
      "{\"output_throughput\":100,\"p95_ttft_ms\":50}\n"
      "{\"output_throughput\":200,\"p95_ttft_ms\":90}\n"
      "{\"output_throughput\":300,\"p95_ttft_ms\":200}\n",
      "r.jsonl");
  ASSERT_TRUE(points.ok()) << points.error().message;
  const auto chosen =
      ChoosePoint(points.value(), ParseLatencyTarget("p95_ttft_ms=100").value(), "r.jsonl");
  EXPECT_EQ(chosen.value().output_tok_per_s, 200);
  EXPECT_EQ(chosen.value().latency_target, "p95_ttft_ms <= 100 ms");
  EXPECT_FALSE(ChoosePoint(points.value(), {}, "r").ok());
  EXPECT_FALSE(ChoosePoint(points.value(), {.key = "p95_ttft_ms", .most_ms = 10}, "r").ok());
  EXPECT_FALSE(ChoosePoint(points.value(), {.key = "p99_tpot_ms", .most_ms = 10}, "r").ok());
}

TEST(BenchResult, RefusesWhatIsNoSpeed) {
  for (const auto& [text, part] :
       {std::pair{R"({"output_throughput":0})", "output_throughput"},
        {R"({"output_throughput":-5})", "output_throughput"},
        {R"({"output_throughput":"fast"})", "output_throughput"},
        {R"({"output_throughput":1e999})", "overflow"},
        {R"({"completed":3})", "\"output_throughput\" is missing"},
        {R"({"output_throughput":5,"completed":0})", "completed"},
        {R"({"output_throughput":5,"total_token_throughput":4})", "total_token_throughput"},
        {R"({"output_throughput":5,"gpus":0})", "gpus"},
        {R"([])", "no result"},
        {R"([5])", "must be an object"},
        {R"({"output_throughput":5)", "r.json:1"},
        {"", "no result"}}) {
    EXPECT_NE(ErrorOf(text).find(part), std::string::npos) << text << ": " << ErrorOf(text);
  }
}

TEST(BenchResult, LatencyTargetsNameAKeyInMilliseconds) {
  EXPECT_TRUE(ParseLatencyTarget("").value().key.empty());
  for (const char* text : {"p95_ttft_ms", "p95_ttft=5", "p95_ttft_ms=0", "p95_ttft_ms=x", "=5"}) {
    EXPECT_FALSE(ParseLatencyTarget(text).ok()) << text;
  }
}

}  // namespace
}  // namespace glint::plan
