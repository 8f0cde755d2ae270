// SPDX-License-Identifier: Apache-2.0
#include "server/metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace glint::server {
namespace {

using namespace std::chrono_literals;

bool Has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line) != std::string::npos;
}

TEST(Metrics, EveryReasonExistsAtZeroAndCountsUp) {
  Metrics metrics("m", nullptr);
  const std::string start = metrics.Write({});
  for (const char* reason : {"stop", "length", "abort", "error", "repetition"}) {
    EXPECT_TRUE(
        Has(start, std::string("vllm:request_success_total{engine=\"0\",finished_reason=\"") +
                       reason + "\",model_name=\"m\"} 0"))
        << start;
  }
  engine::RequestTimes times;
  times.arrived = engine::RequestTimes::Point(1s);
  times.scheduled = times.arrived + 100ms;
  times.first_token = times.arrived + 200ms;
  times.finished = times.arrived + 1200ms;
  metrics.CountRequest(times, "stop", 10, 11, 100);
  metrics.CountAbort();
  const std::string text = metrics.Write({});
  EXPECT_TRUE(Has(text,
                  "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\","
                  "model_name=\"m\"} 1"));
  EXPECT_TRUE(Has(text,
                  "vllm:request_success_total{engine=\"0\",finished_reason=\"abort\","
                  "model_name=\"m\"} 1"));
  EXPECT_TRUE(Has(text,
                  "vllm:time_to_first_token_seconds_bucket{engine=\"0\",model_name=\"m\","
                  "le=\"0.25\"} 1"));
  EXPECT_TRUE(Has(text,
                  "vllm:time_to_first_token_seconds_bucket{engine=\"0\",model_name=\"m\","
                  "le=\"0.1\"} 0"));
  EXPECT_TRUE(Has(text,
                  "vllm:request_time_per_output_token_seconds_sum{engine=\"0\","
                  "model_name=\"m\"} 0.1"));
  EXPECT_TRUE(Has(text, "inference_requests_total{engine=\"0\",model_name=\"m\"} 2"));
}

TEST(Metrics, GaugesAndTotalsAreTheEnginesOwn) {
  FallbackLog fallbacks;
  Metrics metrics("m", &fallbacks);
  testing::internal::CaptureStderr();
  fallbacks.Report("linear: \"odd\"");
  (void)testing::internal::GetCapturedStderr();
  const engine::EngineCounts counts{.running = 2,
                                    .waiting = 3,
                                    .free_pages = 25,
                                    .page_count = 100,
                                    .prompt_tokens = 7,
                                    .generated_tokens = 9,
                                    .preemptions = 4,
                                    .prefix_queries = 20,
                                    .prefix_hits = 13};
  (void)metrics.Write(counts);
  const std::string text = metrics.Write(counts);  // totals do not add up with each scrape
  EXPECT_TRUE(Has(text, "vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 2"));
  EXPECT_TRUE(Has(text, "vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 3"));
  EXPECT_TRUE(Has(text, "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.75"));
  EXPECT_TRUE(Has(text, "vllm:prompt_tokens_total{engine=\"0\",model_name=\"m\"} 20"));
  EXPECT_TRUE(Has(text, "vllm:prompt_tokens_cached_total{engine=\"0\",model_name=\"m\"} 13"));
  EXPECT_TRUE(Has(text, "vllm:prefix_cache_queries_total{engine=\"0\",model_name=\"m\"} 20"));
  EXPECT_TRUE(Has(text, "vllm:prefix_cache_hits_total{engine=\"0\",model_name=\"m\"} 13"));
  EXPECT_TRUE(Has(text, "vllm:num_preemptions_total{engine=\"0\",model_name=\"m\"} 4"));
  EXPECT_TRUE(Has(text, "vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"} 9"));
  EXPECT_TRUE(Has(text, "glint:fallbacks_total{reason=\"linear: \\\"odd\\\"\"} 1")) << text;
}

TEST(Metrics, HttpRequestsAreCountedByRouteAndStatus) {
  Metrics metrics("m", nullptr);
  metrics.CountHttp("/v1/models", "GET", 200, 3ms, 0, 120);
  metrics.CountHttp("/v1/models", "GET", 200, 3ms, 0, 120);
  const std::string text = metrics.Write({});
  EXPECT_TRUE(
      Has(text, "http_requests_total{handler=\"/v1/models\",method=\"GET\",status=\"200\"} 2"))
      << text;
  EXPECT_TRUE(Has(text, "http_response_size_bytes_sum{handler=\"/v1/models\",method=\"GET\"} 240"));
}

}  // namespace
}  // namespace glint::server
