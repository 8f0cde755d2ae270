// SPDX-License-Identifier: Apache-2.0
// The counters and histograms behind /metrics. Names are vLLM's, so that dashboards made for it
// work unchanged (vllm/v1/metrics/loggers.py), and three of our own.
//
// Underneath: prometheus-cpp's registry and text format. Every label value exists from the start,
// at 0.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/fallback.h"
#include "engine/engine.h"
#include "engine/generate.h"

namespace glint::server {

// Thread-safe.
class Metrics {
 public:
  // `fallbacks` (may be null) must outlive the object.
  Metrics(std::string model_name, const FallbackLog* fallbacks);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // One request that the engine took, at its end. `reason`: "stop", "length", "abort", "error".
  void CountRequest(const engine::RequestTimes& times, std::string_view reason,
                    std::int64_t prompt_tokens, std::int64_t generated_tokens,
                    std::int64_t max_tokens);
  // One whose client left before its end.
  void CountAbort();
  // Tool calls that an answer spelled wrong.
  void CountMalformedCalls(int calls);
  // Between two events of a request that brought tokens.
  void CountTokenGap(std::chrono::nanoseconds gap);
  // One HTTP exchange.
  void CountHttp(std::string_view handler, std::string_view method, unsigned status,
                 std::chrono::nanoseconds duration, std::int64_t request_bytes,
                 std::int64_t reply_bytes);

  // The text format, with the engine's gauges as they are now.
  [[nodiscard]] std::string Write(const engine::EngineCounts& counts);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace glint::server
