// SPDX-License-Identifier: Apache-2.0
#include "load/summary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"

namespace glint::load {
namespace {

constexpr double kBusyShare = 0.8;
constexpr double kLateSeconds = 0.010;
// A day; the timeline of a longer run is cut.
constexpr std::size_t kMostSeconds = 86'400;

bool MeetsAll(const RequestRecord& record, const Slo& slo) {
  for (const auto& [metric, limit_ms] : slo) {
    double value_s = 0;
    if (metric == Metric::kTtft) value_s = record.ttft_s();
    if (metric == Metric::kE2el) value_s = record.latency_s();
    // A request of one token has no time per token to break the limit with.
    if (metric == Metric::kTpot) value_s = record.tpot_s().value_or(0);
    if (value_s * 1000 > limit_ms) return false;
  }
  return true;
}

std::size_t SecondOf(RequestRecord::Time time) {
  return static_cast<std::size_t>(std::max(0.0, RequestRecord::Seconds(time)));
}

void AddToTimeline(const RequestRecord& record, std::vector<double>& tokens,
                   std::vector<TimelineSecond>& timeline) {
  const std::size_t last = std::min(SecondOf(record.ended), timeline.size() - 1);
  const std::size_t first = std::min(SecondOf(record.sent), last);
  ++timeline[first].started;
  const double from_s = RequestRecord::Seconds(record.sent);
  const double to_s = RequestRecord::Seconds(record.ended);
  for (std::size_t second = first; second <= last; ++second) {
    const auto start_s = static_cast<double>(second);
    timeline[second].running += std::min(to_s, start_s + 1) - std::max(from_s, start_s);
  }
  const double each = record.events.empty() ? 0
                                            : static_cast<double>(record.output_tokens) /
                                                  static_cast<double>(record.events.size());
  for (const RequestRecord::Time event : record.events) {
    tokens[std::min(SecondOf(event), timeline.size() - 1)] += each;
  }
}

// The most requests that were under way at one moment.
std::int64_t MostConcurrent(const std::vector<RequestRecord>& records) {
  std::vector<std::pair<RequestRecord::Time, int>> changes;
  changes.reserve(2 * records.size());
  for (const RequestRecord& record : records) {
    changes.emplace_back(record.sent, 1);
    changes.emplace_back(record.ended, -1);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return most;
}

struct Collected {
  std::vector<double> ttft, tpot, itl, e2el;
};

void Collect(const RequestRecord& record, Collected& out) {
  if (record.events.empty()) return;
  out.ttft.push_back(record.ttft_s());
  out.e2el.push_back(record.latency_s());
  if (const auto tpot = record.tpot_s()) out.tpot.push_back(*tpot);
  for (std::size_t i = 1; i < record.events.size(); ++i) {
    out.itl.push_back(RequestRecord::Seconds(record.events[i] - record.events[i - 1]));
  }
}

void FillTimeline(const RunResult& run, RunSummary& out) {
  const auto seconds = static_cast<std::size_t>(std::max(0.0, std::ceil(run.duration_s)));
  if (seconds == 0) return;
  out.timeline.resize(std::min(seconds, kMostSeconds));
  std::vector<double> tokens(out.timeline.size());
  for (const RequestRecord& record : run.records) AddToTimeline(record, tokens, out.timeline);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    out.timeline[i].output_tokens = std::llround(tokens[i]);
    out.max_output_tokens_per_s = std::max(out.max_output_tokens_per_s, tokens[i]);
  }
}

std::optional<double> HighPercentile(const std::vector<double>& values) {
  const auto summary = Summarize(values);
  if (!summary) return std::nullopt;
  return Percentile(summary->sorted, 99);
}

}  // namespace

const char* MetricName(Metric metric) {
  switch (metric) {
    case Metric::kTtft:
      return "ttft";
    case Metric::kTpot:
      return "tpot";
    case Metric::kItl:
      return "itl";
    case Metric::kE2el:
      return "e2el";
  }
  return "?";
}

Result<Slo> ParseSlo(std::string_view text) {
  Slo slo;
  while (true) {
    const std::size_t start = text.find_first_not_of(" ,");
    if (start == std::string_view::npos) return slo;
    text.remove_prefix(start);
    const std::string word(text.substr(0, text.find_first_of(" ,")));
    text.remove_prefix(word.size());
    const std::size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    char* end = nullptr;
    const char* number = colon == std::string::npos ? "" : word.c_str() + colon + 1;
    const double limit_ms = std::strtod(number, &end);
    const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(),
                                     [&](Metric m) { return name == MetricName(m); });
    if (metric == kMetrics.end() || *metric == Metric::kItl || *end != '\0' ||
        !std::isfinite(limit_ms) || limit_ms <= 0) {
      return InvalidArgument(format(
          "goodput has {}, must be ttft:MS, tpot:MS or e2el:MS with limits above 0", Quoted(word)));
    }
    slo.emplace_back(*metric, limit_ms);
  }
}

RunSummary SummarizeRun(const RunResult& run, const Slo& slo) {
  RunSummary out;
  out.duration_s = run.duration_s;
  Collected collected;
  std::map<std::string, std::int64_t> errors;
  std::int64_t good = 0;
  for (const RequestRecord& record : run.records) {
    if (record.outcome == Outcome::kFailed) {
      ++out.failed;
      ++errors[record.error];
      continue;
    }
    if (record.outcome == Outcome::kCancelled) {
      ++out.cancelled;
      continue;
    }
    ++out.completed;
    out.total_input_tokens += record.input_tokens;
    if (record.cached_tokens) {
      out.total_cached_tokens = out.total_cached_tokens.value_or(0) + *record.cached_tokens;
    }
    out.total_output_tokens += record.output_tokens;
    if (!record.has_usage) ++out.without_usage;
    if (MeetsAll(record, slo)) ++good;
    Collect(record, collected);
  }
  out.latency_s = {Summarize(std::move(collected.ttft)), Summarize(std::move(collected.tpot)),
                   Summarize(std::move(collected.itl)), Summarize(std::move(collected.e2el))};
  if (run.duration_s > 0) {
    const auto per_second = [&](std::int64_t count) {
      return static_cast<double>(count) / run.duration_s;
    };
    out.request_throughput = per_second(out.completed);
    out.output_throughput = per_second(out.total_output_tokens);
    out.total_token_throughput = per_second(out.total_input_tokens + out.total_output_tokens);
    if (!slo.empty()) out.request_goodput = per_second(good);
  }
  FillTimeline(run, out);
  out.max_concurrent_requests = MostConcurrent(run.records);
  out.errors.assign(errors.begin(), errors.end());
  std::sort(out.errors.begin(), out.errors.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return out;
}

std::vector<std::string> ClientWarnings(const ClientLoad& client) {
  std::vector<std::string> warnings;
  if (client.busiest_thread_share > kBusyShare) {
    warnings.push_back(
        format("the client was the limit: its busiest thread ran for {:.0f} % of the time; use "
               "more --threads",
               100 * client.busiest_thread_share));
  }
  if (const auto late = HighPercentile(client.schedule_lag_s); late && *late > kLateSeconds) {
    warnings.push_back(
        format("requests were sent late: p99 {:.1f} ms behind the schedule", 1000 * *late));
  }
  if (const auto late = HighPercentile(client.loop_lag_s); late && *late > kLateSeconds) {
    warnings.push_back(format(
        "the client's event loop was late: p99 {:.1f} ms; latencies include this", 1000 * *late));
  }
  return warnings;
}

}  // namespace glint::load
