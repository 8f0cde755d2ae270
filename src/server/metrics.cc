// SPDX-License-Identifier: Apache-2.0
#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <utility>

namespace glint::server {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;
using Labels = prometheus::Labels;

// Source of all bounds: vllm/v1/metrics/loggers.py.
const Buckets kFirstToken = {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
                             1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
const Buckets kTokenGap = {.01, .025, .05, .075, .1,  .15, .2, .3, .4, .5,
                           .75, 1,    2.5, 5,    7.5, 10,  20, 40, 80};
const Buckets kRequest = {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                          30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
const Buckets kTokens = {1,    2,    5,    10,    20,    50,    100,    200,    500,
                         1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000};
const Buckets kHttp = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300};
const Buckets kBytes = {100, 1000, 10000, 100000, 1000000, 10000000};

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

double ResidentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long total = 0;
  long resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

// The families and their one child each, under the labels model_name and engine.
struct Metrics::Series {
  Series(std::string model_name, const FallbackLog* log)
      : labels{{"model_name", std::move(model_name)}, {"engine", "0"}}, fallback_log(log) {}

  Gauge& MakeGauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
  }
  Counter& MakeCounter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
  }
  Histogram& MakeHistogram(const char* name, const char* help, const Buckets& buckets) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(labels,
                                                                                     buckets);
  }

  prometheus::Registry registry;
  Labels labels;
  const FallbackLog* fallback_log;
  std::mutex mutex;  // counters that follow a total: read, compare, increment

  Gauge& running = MakeGauge("vllm:num_requests_running", "Requests in the running batch");
  Gauge& waiting = MakeGauge("vllm:num_requests_waiting", "Requests in the queue");
  Gauge& cache_usage = MakeGauge("vllm:kv_cache_usage_perc", "Share of cache pages in use, 0 to 1");
  Counter& prompt_tokens =
      MakeCounter("vllm:prompt_tokens_total", "Prompt tokens run or found in the cache");
  Counter& cached_prompt_tokens =
      MakeCounter("vllm:prompt_tokens_cached_total", "Prompt tokens found in the cache");
  Counter& prefix_queries =
      MakeCounter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache");
  Counter& prefix_hits =
      MakeCounter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache");
  Counter& preemptions = MakeCounter("vllm:num_preemptions_total",
                                     "Requests that gave up their pages and were computed again");
  Counter& generated_tokens = MakeCounter("vllm:generation_tokens_total", "Tokens generated");
  Counter& corrupted =
      MakeCounter("vllm:corrupted_requests_total", "Requests whose logits were NaN or infinite");
  Counter& malformed_calls =
      MakeCounter("glint:malformed_tool_calls_total", "Tool calls that the model spelled wrong");
  Counter& stalls = MakeCounter("glint:engine_stalls_total", "Steps that did not end in time");
  Counter& steps = MakeCounter("glint:engine_steps_total", "Steps of the engine");
  prometheus::Family<Counter>& success = prometheus::BuildCounter()
                                             .Name("vllm:request_success_total")
                                             .Help("Requests that ended, by reason")
                                             .Register(registry);
  Histogram& first_token = MakeHistogram("vllm:time_to_first_token_seconds",
                                         "From arrival to the first token", kFirstToken);
  Histogram& token_gap = MakeHistogram("vllm:inter_token_latency_seconds",
                                       "Between two tokens of a request", kTokenGap);
  Histogram& per_token = MakeHistogram("vllm:request_time_per_output_token_seconds",
                                       "Mean of a request, after its first token", kTokenGap);
  Histogram& end_to_end =
      MakeHistogram("vllm:e2e_request_latency_seconds", "From arrival to the end", kRequest);
  Histogram& queue = MakeHistogram("vllm:request_queue_time_seconds", "Waiting to run", kRequest);
  Histogram& inference =
      MakeHistogram("vllm:request_inference_time_seconds", "From first rows to the end", kRequest);
  Histogram& prefill = MakeHistogram("vllm:request_prefill_time_seconds",
                                     "From first rows to the first token", kRequest);
  Histogram& decode = MakeHistogram("vllm:request_decode_time_seconds",
                                    "From the first token to the end", kRequest);
  Histogram& prompt_size =
      MakeHistogram("vllm:request_prompt_tokens", "Prompt tokens of a request", kTokens);
  Histogram& answer_size =
      MakeHistogram("vllm:request_generation_tokens", "Generated tokens of a request", kTokens);
  Histogram& asked_size =
      MakeHistogram("vllm:request_params_max_tokens", "Tokens a request allows", kTokens);
  Counter& inference_requests =
      MakeCounter("inference_requests_total", "Requests that the engine took");
  Histogram& inference_duration = MakeHistogram("inference_duration_seconds",
                                                "Of a request, from arrival to the end", kRequest);
  prometheus::Family<Counter>& http_requests = prometheus::BuildCounter()
                                                   .Name("http_requests_total")
                                                   .Help("HTTP requests answered")
                                                   .Register(registry);
  prometheus::Family<Histogram>& http_duration = prometheus::BuildHistogram()
                                                     .Name("http_request_duration_seconds")
                                                     .Help("Of an HTTP exchange")
                                                     .Register(registry);
  prometheus::Family<Histogram>& http_request_size = prometheus::BuildHistogram()
                                                         .Name("http_request_size_bytes")
                                                         .Help("Bodies of requests")
                                                         .Register(registry);
  prometheus::Family<Histogram>& http_response_size = prometheus::BuildHistogram()
                                                          .Name("http_response_size_bytes")
                                                          .Help("Replies, with their headers")
                                                          .Register(registry);
  prometheus::Family<Counter>& fallbacks = prometheus::BuildCounter()
                                               .Name("glint:fallbacks_total")
                                               .Help("Slow paths taken, by reason")
                                               .Register(registry);
  Gauge& resident_bytes = prometheus::BuildGauge()
                              .Name("process_resident_memory_bytes")
                              .Help("Memory of the process")
                              .Register(registry)
                              .Add({});
  Counter& cpu_seconds = prometheus::BuildCounter()
                             .Name("process_cpu_seconds_total")
                             .Help("CPU time of the process")
                             .Register(registry)
                             .Add({});
  Gauge& start_time = prometheus::BuildGauge()
                          .Name("process_start_time_seconds")
                          .Help("Start, seconds since 1970")
                          .Register(registry)
                          .Add({});

  Labels With(const char* name, std::string value) const {
    Labels all = labels;
    all[name] = std::move(value);
    return all;
  }
};

namespace {

// A counter that shows a total kept elsewhere.
void Follow(Counter& counter, double total) {
  if (total > counter.Value()) counter.Increment(total - counter.Value());
}

}  // namespace

Metrics::Metrics(std::string model_name, const FallbackLog* fallbacks)
    : series_(std::make_unique<Series>(std::move(model_name), fallbacks)) {
  for (const char* reason : {"stop", "length", "abort", "error", "repetition"}) {
    series_->success.Add(series_->With("finished_reason", reason));
  }
  series_->start_time.Set(static_cast<double>(std::time(nullptr)));
}

Metrics::~Metrics() = default;

void Metrics::CountRequest(const engine::RequestTimes& times, std::string_view reason,
                           std::int64_t prompt_tokens, std::int64_t generated_tokens,
                           std::int64_t max_tokens) {
  using Point = engine::RequestTimes::Point;
  Series& s = *series_;
  s.success.Add(s.With("finished_reason", std::string(reason))).Increment();
  s.inference_requests.Increment();
  s.prompt_size.Observe(static_cast<double>(prompt_tokens));
  s.answer_size.Observe(static_cast<double>(generated_tokens));
  s.asked_size.Observe(static_cast<double>(max_tokens));
  s.end_to_end.Observe(Seconds(times.finished - times.arrived));
  s.inference_duration.Observe(Seconds(times.finished - times.arrived));
  if (times.scheduled == Point()) return;
  s.queue.Observe(Seconds(times.scheduled - times.arrived));
  s.inference.Observe(Seconds(times.finished - times.scheduled));
  if (times.first_token == Point()) return;
  s.first_token.Observe(Seconds(times.first_token - times.arrived));
  s.prefill.Observe(Seconds(times.first_token - times.scheduled));
  s.decode.Observe(Seconds(times.finished - times.first_token));
  if (generated_tokens > 1) {
    s.per_token.Observe(Seconds(times.finished - times.first_token) /
                        static_cast<double>(generated_tokens - 1));
  }
}

void Metrics::CountAbort() {
  series_->success.Add(series_->With("finished_reason", "abort")).Increment();
  series_->inference_requests.Increment();
}

void Metrics::CountMalformedCalls(int calls) { series_->malformed_calls.Increment(calls); }

void Metrics::CountTokenGap(std::chrono::nanoseconds gap) {
  series_->token_gap.Observe(Seconds(gap));
}

void Metrics::CountHttp(std::string_view handler, std::string_view method, unsigned status,
                        std::chrono::nanoseconds duration, std::int64_t request_bytes,
                        std::int64_t reply_bytes) {
  Series& s = *series_;
  const Labels labels = {{"handler", std::string(handler)}, {"method", std::string(method)}};
  Labels with_status = labels;
  with_status["status"] = std::to_string(status);
  s.http_requests.Add(with_status).Increment();
  s.http_duration.Add(labels, kHttp).Observe(Seconds(duration));
  s.http_request_size.Add(labels, kBytes).Observe(static_cast<double>(request_bytes));
  s.http_response_size.Add(labels, kBytes).Observe(static_cast<double>(reply_bytes));
}

std::string Metrics::Write(const engine::EngineCounts& counts) {
  Series& s = *series_;
  const std::lock_guard lock(s.mutex);
  s.running.Set(static_cast<double>(counts.running));
  s.waiting.Set(static_cast<double>(counts.waiting));
  s.cache_usage.Set(counts.page_count == 0
                        ? 0
                        : static_cast<double>(counts.page_count - counts.free_pages) /
                              static_cast<double>(counts.page_count));
  Follow(s.prompt_tokens, static_cast<double>(counts.prompt_tokens + counts.prefix_hits));
  Follow(s.cached_prompt_tokens, static_cast<double>(counts.prefix_hits));
  Follow(s.prefix_queries, static_cast<double>(counts.prefix_queries));
  Follow(s.prefix_hits, static_cast<double>(counts.prefix_hits));
  Follow(s.preemptions, static_cast<double>(counts.preemptions));
  Follow(s.generated_tokens, static_cast<double>(counts.generated_tokens));
  Follow(s.corrupted, static_cast<double>(counts.corrupted_requests));
  Follow(s.stalls, static_cast<double>(counts.stalls));
  Follow(s.steps, static_cast<double>(counts.steps));
  if (s.fallback_log != nullptr) {
    for (const auto& [reason, count] : s.fallback_log->Counts()) {
      Follow(s.fallbacks.Add({{"reason", reason}}), static_cast<double>(count));
    }
  }
  s.resident_bytes.Set(ResidentBytes());
  Follow(s.cpu_seconds, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return prometheus::TextSerializer().Serialize(s.registry.Collect());
}

}  // namespace glint::server
