// SPDX-License-Identifier: Apache-2.0
// What a run measured: throughput, latencies, goodput, timeline, and whether the client kept up.
//
// Source of the definitions: vLLM's benchmark client. TTFT: send to first token. E2EL: send to last
// token. TPOT of a request: (E2EL - TTFT) / (output tokens - 1), without requests of one token.
// ITL: gaps between stream events, pooled over requests. Goodput: requests a second that meet all
// limits. Latencies are of completed requests that produced output; throughput counts completed
// requests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "load/run.h"
#include "load/statistics.h"

namespace glint::load {

enum class Metric : std::uint8_t { kTtft, kTpot, kItl, kE2el };
inline constexpr std::array<Metric, 4> kMetrics{Metric::kTtft, Metric::kTpot, Metric::kItl,
                                                Metric::kE2el};
const char* MetricName(Metric metric);  // "ttft", "tpot", "itl", "e2el"

// "ttft:500 tpot:50" (spaces or commas): limits in ms of ttft, tpot and e2el.
using Slo = std::vector<std::pair<Metric, double>>;
Result<Slo> ParseSlo(std::string_view text);

// One second of the run.
struct TimelineSecond {
  std::int64_t output_tokens = 0;  // spread evenly over a request's events
  double running = 0;              // requests under way, on the second's average
  std::int64_t started = 0;
};

struct RunSummary {
  double duration_s = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t total_input_tokens = 0;
  std::optional<std::int64_t> total_cached_tokens;  // nullopt: no reply said
  std::int64_t total_output_tokens = 0;
  std::int64_t without_usage = 0;  // completed, but the server counted no tokens
  double request_throughput = 0;
  double output_throughput = 0;
  double total_token_throughput = 0;
  std::optional<double> request_goodput;
  std::array<std::optional<Summary>, 4> latency_s;  // by Metric
  std::vector<TimelineSecond> timeline;
  double max_output_tokens_per_s = 0;
  std::int64_t max_concurrent_requests = 0;
  std::vector<std::pair<std::string, std::int64_t>> errors;  // text and count, most frequent first

  [[nodiscard]] const std::optional<Summary>& latency(Metric metric) const {
    return latency_s[static_cast<std::size_t>(metric)];
  }
};

RunSummary SummarizeRun(const RunResult& run, const Slo& slo);

// The signs that the client, not the server, was the limit; empty when it kept up: a thread busy
// for more than 80 % of the run, or a late schedule or event loop (p99 above 10 ms).
std::vector<std::string> ClientWarnings(const ClientLoad& client);

}  // namespace glint::load
