// SPDX-License-Identifier: Apache-2.0
#include "load/result_json.h"

#include <cmath>

#include "base/format.h"

namespace glint::load {
namespace {

// A statistic in ms; left out when it is zero or below what a double in ms can tell from zero.
void AddMs(Json& out, const std::string& key, double seconds) {
  const double ms = seconds * 1000;
  if (std::isfinite(ms) && ms > 1e-9) out.Add(key, ms);
}

void AddLatencies(const RunSummary& summary, const ResultContext& context, Json& out) {
  for (const Metric metric : kMetrics) {
    const auto& found = summary.latency(metric);
    if (!found) continue;
    const std::string suffix = format("_{}_ms", MetricName(metric));
    AddMs(out, "mean" + suffix, found->mean);
    AddMs(out, "median" + suffix, found->median);
    AddMs(out, "std" + suffix, found->std);
    for (const double percent : context.percentiles) {
      AddMs(out, PercentileName(percent) + suffix, Percentile(found->sorted, percent));
    }
  }
}

Json LagJson(const std::vector<double>& lag_s) {
  Json out(Json::Object{});
  if (const auto summary = Summarize(lag_s)) {
    out.Add("mean_s", summary->mean);
    out.Add("p99_s", Percentile(summary->sorted, 99));
    out.Add("max_s", summary->most);
  }
  return out;
}

Json ClientJson(const ClientLoad& client) {
  Json out;
  out.Add("threads", client.threads);
  out.Add("cpu_s", client.cpu_s);
  out.Add("busiest_thread_share", client.busiest_thread_share);
  out.Add("connections", client.connections);
  out.Add("schedule_lag", LagJson(client.schedule_lag_s));
  out.Add("loop_lag", LagJson(client.loop_lag_s));
  Json warnings(Json::Array{});
  for (const std::string& warning : ClientWarnings(client)) warnings.Append(warning);
  out.Add("warnings", std::move(warnings));
  return out;
}

void AddDetails(const RunResult& run, Json& out) {
  Json::Array inputs, outputs, ttfts, itls, starts, texts, errors;
  for (const RequestRecord& record : run.records) {
    inputs.emplace_back(record.input_tokens);
    outputs.emplace_back(record.output_tokens);
    ttfts.emplace_back(record.ttft_s());
    starts.emplace_back(RequestRecord::Seconds(record.sent));
    texts.emplace_back(record.text);
    errors.emplace_back(record.error);
    Json gaps(Json::Array{});
    for (std::size_t i = 1; i < record.events.size(); ++i) {
      gaps.Append(RequestRecord::Seconds(record.events[i] - record.events[i - 1]));
    }
    itls.push_back(std::move(gaps));
  }
  out.Add("input_lens", std::move(inputs));
  out.Add("output_lens", std::move(outputs));
  out.Add("ttfts", std::move(ttfts));
  out.Add("itls", std::move(itls));
  out.Add("start_times", std::move(starts));
  out.Add("generated_texts", std::move(texts));
  out.Add("errors", std::move(errors));
}

Json Value(double value, const char* unit) {
  Json out;
  out.Add("value", value);
  out.Add("unit", unit);
  return out;
}

Json AiperfMetrics(const RequestRecord& record) {
  Json out(Json::Object{});
  if (record.outcome != Outcome::kCompleted) return out;
  if (!record.events.empty()) {
    out.Add("time_to_first_token", Value(record.ttft_s() * 1000, "ms"));
    out.Add("request_latency", Value(record.latency_s() * 1000, "ms"));
  }
  if (const auto tpot = record.tpot_s()) {
    out.Add("inter_token_latency", Value(*tpot * 1000, "ms"));
    out.Add("output_token_throughput_per_user", Value(1 / *tpot, "tokens/sec/user"));
  }
  out.Add("input_sequence_length", Value(static_cast<double>(record.input_tokens), "tokens"));
  out.Add("output_sequence_length", Value(static_cast<double>(record.output_tokens), "tokens"));
  return out;
}

std::int64_t UnixNanoseconds(double start_unix_s, RequestRecord::Time since_start) {
  const double whole = std::floor(start_unix_s);
  return static_cast<std::int64_t>(whole) * 1'000'000'000 +
         std::llround((start_unix_s - whole) * 1e9) + since_start.count();
}

Json AiperfRecord(const RequestRecord& record, const ResultContext& context) {
  Json metadata;
  metadata.Add("x_request_id", RequestId(context.request_prefix, record.index));
  metadata.Add("session_num", record.index);
  metadata.Add("conversation_id", format("conversation-{}", record.conversation));
  metadata.Add("turn_index", record.turn);
  metadata.Add("worker_id", format("load-{}", record.worker));
  metadata.Add("benchmark_phase", "profiling");
  metadata.Add("request_start_ns", UnixNanoseconds(context.start_unix_s, record.sent));
  metadata.Add("request_end_ns", UnixNanoseconds(context.start_unix_s, record.ended));
  metadata.Add("was_cancelled", record.outcome == Outcome::kCancelled);
  Json out;
  out.Add("metadata", std::move(metadata));
  out.Add("metrics", AiperfMetrics(record));
  if (record.outcome == Outcome::kFailed) {
    Json error;
    error.Add("code", record.http_status);
    error.Add("message", record.error);
    out.Add("error", std::move(error));
  } else {
    out.Add("error", Json());
  }
  return out;
}

}  // namespace

std::string PercentileName(double percent) { return format("p{:g}", percent); }

Json VllmResult(const RunResult& run, const RunSummary& summary, const ResultContext& context) {
  Json out;
  out.Add("date", context.date);
  out.Add("backend", context.backend);
  out.Add("model_id", context.model);
  out.Add("tokenizer_id", context.tokenizer);
  out.Add("num_prompts", context.num_prompts);
  out.Add("request_rate",
          std::isinf(context.request_rate) ? Json("inf") : Json(context.request_rate));
  out.Add("burstiness", context.burstiness);
  out.Add("max_concurrency", context.max_concurrency == 0 ? Json() : Json(context.max_concurrency));
  for (const auto& [key, value] : context.metadata) out.Add(key, value);
  out.Add("duration", summary.duration_s);
  out.Add("completed", summary.completed);
  out.Add("failed", summary.failed);
  out.Add("cancelled", summary.cancelled);
  out.Add("total_input_tokens", summary.total_input_tokens);
  out.Add("total_output_tokens", summary.total_output_tokens);
  if (summary.total_cached_tokens && summary.total_input_tokens > 0) {
    out.Add("total_cached_tokens", *summary.total_cached_tokens);
    out.Add("cached_input_share", static_cast<double>(*summary.total_cached_tokens) /
                                      static_cast<double>(summary.total_input_tokens));
  }
  out.Add("request_throughput", summary.request_throughput);
  if (summary.request_goodput) out.Add("request_goodput", *summary.request_goodput);
  out.Add("output_throughput", summary.output_throughput);
  out.Add("total_token_throughput", summary.total_token_throughput);
  out.Add("max_output_tokens_per_s", summary.max_output_tokens_per_s);
  out.Add("max_concurrent_requests", summary.max_concurrent_requests);
  out.Add("rtfx", 0.0);
  AddLatencies(summary, context, out);
  out.Add("benchmark_start_time_unix", context.start_unix_s);
  out.Add("benchmark_end_time_unix", context.start_unix_s + summary.duration_s);
  out.Add("tokens_from", summary.without_usage == 0 ? "usage" : "stream events");
  out.Add("client", ClientJson(run.client));
  if (context.detailed) AddDetails(run, out);
  return out;
}

std::string AiperfRecords(const RunResult& run, const ResultContext& context) {
  std::string out;
  for (const RequestRecord& record : run.records) {
    out += AiperfRecord(record, context).Write();
    out += '\n';
  }
  return out;
}

}  // namespace glint::load
