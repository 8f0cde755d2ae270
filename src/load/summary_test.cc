// SPDX-License-Identifier: Apache-2.0
#include "load/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "load/bench_report.h"
#include "load/result_json.h"

namespace glint::load {
namespace {

using std::chrono::milliseconds;

// Sent at `sent`; events at `events` after that, in ms; a token for each event.
RequestRecord Completed(int sent, const std::vector<int>& events, std::int64_t output_tokens) {
  RequestRecord record;
  record.sent = milliseconds(sent);
  for (const int event : events) record.events.push_back(milliseconds(sent + event));
  record.ended = record.events.empty() ? record.sent : record.events.back();
  record.input_tokens = 100;
  record.output_tokens = output_tokens;
  record.has_usage = true;
  record.outcome = Outcome::kCompleted;
  return record;
}

RunResult Sample() {
  RunResult run;
  run.records = {Completed(0, {50, 60, 80}, 3), Completed(1000, {100, 130}, 4)};
  RequestRecord failed;
  failed.sent = milliseconds(500);
  failed.ended = milliseconds(600);
  failed.error = "HTTP 500: \"x\"";
  run.records.push_back(failed);
  run.duration_s = 2;
  return run;
}

TEST(Summary, FollowsVllmsDefinitions) {
  const RunSummary summary = SummarizeRun(Sample(), {});
  EXPECT_EQ(summary.completed, 2);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_DOUBLE_EQ(summary.latency(Metric::kTtft)->mean, 0.075);
  EXPECT_DOUBLE_EQ(summary.latency(Metric::kE2el)->mean, (0.080 + 0.130) / 2);
  // (80 - 50) / 2 and (130 - 100) / 3 ms.
  EXPECT_DOUBLE_EQ(summary.latency(Metric::kTpot)->mean, (0.015 + 0.010) / 2);
  EXPECT_EQ(summary.latency(Metric::kItl)->count, 3U);
  EXPECT_DOUBLE_EQ(summary.latency(Metric::kItl)->mean, 0.020);
  EXPECT_DOUBLE_EQ(summary.request_throughput, 1);
  EXPECT_DOUBLE_EQ(summary.output_throughput, 3.5);
  EXPECT_DOUBLE_EQ(summary.total_token_throughput, 103.5);
  EXPECT_FALSE(summary.request_goodput.has_value());
  EXPECT_EQ(summary.errors,
            (std::vector<std::pair<std::string, std::int64_t>>{{"HTTP 500: \"x\"", 1}}));
}

TEST(Summary, GoodputMeetsEveryLimit) {
  const auto goodput = [](const char* limits) {
    return SummarizeRun(Sample(), ParseSlo(limits).value()).request_goodput;
  };
  EXPECT_EQ(goodput("ttft:60"), 0.5);
  EXPECT_EQ(goodput("ttft:100 tpot:15"), 1);
  EXPECT_EQ(goodput("ttft:100,tpot:11"), 0.5);
  EXPECT_EQ(goodput("ttft:60 tpot:11"), 0);
  EXPECT_EQ(goodput("e2el:90"), 0.5);
}

TEST(Summary, TheTimelineCountsTokensAndRequests) {
  const RunSummary summary = SummarizeRun(Sample(), {});
  ASSERT_EQ(summary.timeline.size(), 2U);
  EXPECT_EQ(summary.timeline[0].output_tokens, 3);
  EXPECT_EQ(summary.timeline[1].output_tokens, 4);
  EXPECT_EQ(summary.timeline[0].started, 2);
  EXPECT_NEAR(summary.timeline[0].running, 0.080 + 0.100, 1e-9);
  EXPECT_EQ(summary.max_output_tokens_per_s, 4);
  EXPECT_EQ(summary.max_concurrent_requests, 1);
}

TEST(Summary, LimitsAreReadStrictly) {
  EXPECT_TRUE(ParseSlo("").value().empty());
  EXPECT_EQ(ParseSlo(" ttft:500, tpot:50.5 ").value().size(), 2U);
  for (const char* bad : {"ttft", "ttft:", "ttft:x", "ttft:-1", "ttft:nan", "itl:5", "speed:5"}) {
    EXPECT_FALSE(ParseSlo(bad).ok()) << bad;
  }
}

TEST(Summary, AClientThatWasTheLimitIsNamed) {
  EXPECT_TRUE(ClientWarnings({.busiest_thread_share = 0.5, .loop_lag_s = {0.001}}).empty());
  EXPECT_EQ(ClientWarnings({.busiest_thread_share = 0.9}).size(), 1U);
  EXPECT_EQ(ClientWarnings({.schedule_lag_s = {0.02}, .loop_lag_s = {0.02}}).size(), 2U);
}

// What InferenceX's process_result.py does to a result.
void LoadAsScriptsDo(const Json& json) {
  for (const char* key :
       {"max_concurrency", "model_id", "output_throughput", "total_token_throughput"}) {
    EXPECT_NE(json.Find(key), nullptr) << key;
  }
  for (const auto& [key, value] : *json.object()) {
    if (!key.ends_with("ms") && key.find("tpot") == std::string::npos) continue;
    ASSERT_TRUE(value.AsDouble().has_value()) << key;
    EXPECT_GT(*value.AsDouble(), 0) << key;
  }
}

TEST(ResultJson, HasVllmsKeys) {
  const RunResult run = Sample();
  const ResultContext context{.model = "m",
                              .num_prompts = 3,
                              .request_rate = std::numeric_limits<double>::infinity(),
                              .max_concurrency = 1,
                              .percentiles = {50, 99.9},
                              .metadata = {{"machine", "h200"}},
                              .detailed = true};
  const Json json = VllmResult(run, SummarizeRun(run, {}), context);
  LoadAsScriptsDo(json);
  EXPECT_EQ(*json.Find("request_rate")->string(), "inf");
  EXPECT_EQ(*json.Find("machine")->string(), "h200");
  EXPECT_DOUBLE_EQ(*json.Find("mean_ttft_ms")->AsDouble(), 75);
  EXPECT_NE(json.Find("p99.9_tpot_ms"), nullptr);
  EXPECT_EQ(json.Find("itls")->array()->size(), 3U);
  EXPECT_EQ(json.Find("request_goodput"), nullptr);
}

TEST(ResultJson, AnUnknownCacheShareIsNotZero) {
  RunResult run = Sample();
  EXPECT_EQ(VllmResult(run, SummarizeRun(run, {}), {}).Find("cached_input_share"), nullptr);
  run.records[0].cached_tokens = 60;
  EXPECT_EQ(VllmResult(run, SummarizeRun(run, {}), {}).Find("cached_input_share")->AsDouble(), 0.3);
}

TEST(ResultJson, LeavesOutStatisticsThatAreZeroOrUnknown) {
  RunResult run;
  run.records = {Completed(0, {50}, 1)};
  run.duration_s = 1;
  const Json json = VllmResult(run, SummarizeRun(run, {}), {.model = "m"});
  LoadAsScriptsDo(json);
  for (const auto& [key, value] : *json.object()) EXPECT_EQ(key.find("tpot"), key.npos) << key;
  EXPECT_EQ(json.Find("std_ttft_ms"), nullptr);
  EXPECT_NE(json.Find("mean_ttft_ms"), nullptr);
  EXPECT_TRUE(json.Find("max_concurrency")->is_null());
}

TEST(ResultJson, AiperfRecordsAreALineEach) {
  const RunResult run = Sample();
  const std::string lines =
      AiperfRecords(run, {.start_unix_s = 1.8e9 + 0.25, .request_prefix = "run"});
  const std::string first = lines.substr(0, lines.find('\n'));
  const Json json = ParseJson(first, "line").value();
  EXPECT_EQ(*json.Find("metadata")->Find("x_request_id")->string(), "run-0");
  EXPECT_EQ(json.Find("metadata")->Find("request_start_ns")->AsInt(), 1'800'000'000'250'000'000);
  EXPECT_EQ(json.Find("metrics")->Find("time_to_first_token")->Find("value")->AsDouble(), 50);
  // AIPerf's inter_token_latency is vLLM's TPOT.
  EXPECT_EQ(json.Find("metrics")->Find("inter_token_latency")->Find("value")->AsDouble(), 15);
  EXPECT_TRUE(json.Find("error")->is_null());
  EXPECT_NE(lines.find("HTTP 500"), std::string::npos);
}

TEST(BenchReport, TheParetoFrontHasWhatNothingBeats) {
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(ParetoFront({{1, 10}, {2, 8}, {1.5, 7}, {3, 1}, {3, 2}}),
            (Points{{1, 10}, {2, 8}, {3, 2}}));
  EXPECT_EQ(ParetoFront({}), Points{});
}

TEST(BenchReport, ShowsErrorsAndTheClient) {
  BenchOutcome outcome;
  outcome.points.push_back({.run = Sample(), .summary = SummarizeRun(Sample(), {})});
  const std::string text = WriteReportText(ReportBench({}, outcome, "m at h"));
  for (const char* part : {"1 x HTTP 500", "time to first token", "75.00", "busiest thread"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(WriteReportHtml(ReportBench({}, outcome, "m")).find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace glint::load
