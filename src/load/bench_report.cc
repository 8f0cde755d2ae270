// SPDX-License-Identifier: Apache-2.0
#include "load/bench_report.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace glint::load {
namespace {

std::string Ms(double seconds) { return format("{:.2f}", 1000 * seconds); }

const BenchPoint& ShownPoint(const BenchOutcome& outcome) {
  return outcome.points[outcome.best.value_or(outcome.points.size() - 1)];
}

ReportSection ThroughputSection(const BenchPoint& point) {
  const RunSummary& s = point.summary;
  ReportSection section{.heading = "Throughput"};
  ReportTable table;
  const auto add = [&](const char* name, std::string value) {
    table.rows.push_back({name, std::move(value)});
  };
  add("requests completed", format("{}", s.completed));
  add("requests failed", format("{}", s.failed));
  if (s.cancelled > 0) add("requests cancelled by us", format("{}", s.cancelled));
  add("duration, s", format("{:.2f}", s.duration_s));
  if (!std::isinf(point.context.request_rate)) {
    add("offered requests/s", format("{:g}", point.context.request_rate));
  }
  add("requests/s", format("{:.3f}", s.request_throughput));
  if (s.request_goodput) add("requests/s within the limits", format("{:.3f}", *s.request_goodput));
  add("output tok/s", format("{:.2f}", s.output_throughput));
  add("total tok/s", format("{:.2f}", s.total_token_throughput));
  add("most output tok in a second", format("{:.0f}", s.max_output_tokens_per_s));
  add("most requests at once", format("{}", s.max_concurrent_requests));
  if (s.completed > 0) {
    const auto each = [&](std::int64_t tokens) {
      return format("{:.1f}", static_cast<double>(tokens) / static_cast<double>(s.completed));
    };
    add("input tokens a request", each(s.total_input_tokens));
    add("output tokens a request", each(s.total_output_tokens));
  }
  if (s.total_cached_tokens && s.total_input_tokens > 0) {
    add("input from cache", format("{:.1f} %", 100 * static_cast<double>(*s.total_cached_tokens) /
                                                   static_cast<double>(s.total_input_tokens)));
  }
  section.tables.push_back(std::move(table));
  for (const auto& [error, count] : s.errors) {
    if (section.notes.size() >= 10) break;
    section.notes.push_back(format("{} x {}", count, error));
  }
  if (s.without_usage > 0) {
    section.notes.push_back(format(
        "{} replies had no usage: their stream events were counted as tokens", s.without_usage));
  }
  return section;
}

ReportSection LatencySection(const BenchPoint& point) {
  ReportSection section{.heading = "Latency, ms"};
  ReportTable table{.header = {"", "mean", "std"}};
  for (const double percent : point.context.percentiles) {
    table.header.push_back(PercentileName(percent));
  }
  XyChart chart{.title = "latency by percentile", .x_label = "percentile", .y_label = "ms"};
  constexpr const char* kNames[] = {"time to first token", "time per output token",
                                    "gap between events", "whole request"};
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    const auto& found = point.summary.latency(kMetrics[i]);
    if (!found) continue;
    std::vector<std::string> row{kNames[i], Ms(found->mean), Ms(found->std)};
    for (const double percent : point.context.percentiles) {
      row.push_back(Ms(Percentile(found->sorted, percent)));
    }
    table.rows.push_back(std::move(row));
    ChartSeries series{.name = MetricName(kMetrics[i]), .marks = false};
    for (int percent = 0; percent <= 100; ++percent) {
      series.points.emplace_back(percent, 1000 * Percentile(found->sorted, percent));
    }
    if (kMetrics[i] != Metric::kE2el) chart.series.push_back(std::move(series));
  }
  section.tables.push_back(std::move(table));
  section.charts.push_back(std::move(chart));
  return section;
}

ReportSection TimelineSection(const BenchPoint& point) {
  ReportSection section{.heading = "Timeline"};
  ChartSeries tokens{.name = "output tok/s", .marks = false, .steps = true};
  ChartSeries running{.name = "running", .marks = false, .steps = true};
  ChartSeries started{.name = "sent in the second", .marks = false, .steps = true};
  // The last second is a part of one: it would look like a fall.
  const std::size_t seconds = point.summary.timeline.size();
  for (std::size_t i = 0; i < std::max<std::size_t>(seconds, 2) - 1 && i < seconds; ++i) {
    const TimelineSecond& second = point.summary.timeline[i];
    const auto x = static_cast<double>(i);
    tokens.points.emplace_back(x, static_cast<double>(second.output_tokens));
    running.points.emplace_back(x, second.running);
    started.points.emplace_back(x, static_cast<double>(second.started));
  }
  for (ChartSeries* series : {&tokens, &running, &started}) {
    // The last step lasts its second too.
    if (series->points.empty()) continue;
    const auto [x, y] = series->points.back();
    series->points.emplace_back(x + 1, y);
  }
  section.charts.push_back({.title = "output tokens in each second",
                            .x_label = "time (s)",
                            .y_label = "tokens",
                            .series = {std::move(tokens)}});
  section.charts.push_back({.title = "requests in each second",
                            .x_label = "time (s)",
                            .y_label = "requests",
                            .series = {std::move(running), std::move(started)}});
  ChartSeries first{.name = "TTFT", .line = false};
  // At most 2,000 dots: a page of 100,000 does not open.
  const std::size_t stride = std::max<std::size_t>(1, point.run.records.size() / 2000);
  for (std::size_t i = 0; i < point.run.records.size(); i += stride) {
    const RequestRecord& record = point.run.records[i];
    if (record.outcome != Outcome::kCompleted || record.events.empty()) continue;
    first.points.emplace_back(RequestRecord::Seconds(record.sent), 1000 * record.ttft_s());
  }
  section.charts.push_back({.title = "time to first token of requests",
                            .x_label = "sent at (s)",
                            .y_label = "ms",
                            .series = {std::move(first)}});
  return section;
}

std::string LagText(const std::vector<double>& lag_s) {
  const auto summary = Summarize(lag_s);
  if (!summary) return "none";
  return format("mean {:.3f}, p99 {:.3f}, most {:.3f} ms", 1000 * summary->mean,
                1000 * Percentile(summary->sorted, 99), 1000 * summary->most);
}

ReportSection ClientSection(const BenchPoint& point) {
  const ClientLoad& client = point.run.client;
  ReportSection section{.heading = "The client itself"};
  ReportTable table;
  table.rows = {{"threads", format("{}", client.threads)},
                {"CPU time, s", format("{:.2f}", client.cpu_s)},
                {"busiest thread", format("{:.1f} %", 100 * client.busiest_thread_share)},
                {"connections opened", format("{}", client.connections)},
                {"sent after schedule", LagText(client.schedule_lag_s)},
                {"event loop late", LagText(client.loop_lag_s)}};
  section.tables.push_back(std::move(table));
  for (std::string& warning : ClientWarnings(client)) section.notes.push_back(std::move(warning));
  return section;
}

ReportSection SearchSection(const BenchOptions& options, const BenchOutcome& outcome) {
  const bool rate = options.goal == BenchGoal::kHighestRate;
  const Metric metric = rate ? Metric::kTtft : Metric::kTpot;
  ReportSection section{.heading = rate ? "Highest request rate" : "Highest concurrency"};
  const std::string name = format("{} {}", PercentileName(options.percentile), MetricName(metric));
  ReportTable table{.header = {rate ? "requests/s offered" : "streams", "requests/s",
                               "output tok/s", "tok/s a user", name + ", ms", "keeps the limit"}};
  XyChart chart{.title = "throughput against interactivity",
                .x_label = "interactivity: 1 / median TPOT (tok/s a user)",
                .y_label = "output tok/s"};
  ChartSeries all{.name = "runs", .line = false};
  for (const BenchPoint& point : outcome.points) {
    const auto& latency = point.summary.latency(metric);
    const auto& tpot = point.summary.latency(Metric::kTpot);
    const bool paced = tpot && tpot->median > 0;
    table.rows.push_back({format("{:g}", point.load),
                          format("{:.3f}", point.summary.request_throughput),
                          format("{:.2f}", point.summary.output_throughput),
                          paced ? format("{:.2f}", 1 / tpot->median) : "-",
                          latency ? Ms(Percentile(latency->sorted, options.percentile)) : "-",
                          point.passed ? "yes" : "no"});
    if (paced) all.points.emplace_back(1 / tpot->median, point.summary.output_throughput);
  }
  section.tables.push_back(std::move(table));
  if (outcome.best) {
    section.notes.push_back(format("{}{:g} {} at {} <= {:g} ms", outcome.limited ? "at least " : "",
                                   outcome.points[*outcome.best].load,
                                   rate ? "requests/s" : "streams", name, options.limit_ms));
  } else {
    section.notes.push_back(format("no load kept {} <= {:g} ms", name, options.limit_ms));
  }
  ChartSeries front{.name = "Pareto front", .points = ParetoFront(all.points)};
  chart.series = {std::move(all), std::move(front)};
  section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace

std::vector<std::pair<double, double>> ParetoFront(std::vector<std::pair<double, double>> points) {
  std::sort(points.begin(), points.end(), std::greater<>());
  std::vector<std::pair<double, double>> front;
  front.reserve(points.size());
  for (const auto& point : points) {
    if (front.empty() || point.second > front.back().second) front.push_back(point);
  }
  std::reverse(front.begin(), front.end());
  return front;
}

Report ReportBench(const BenchOptions& options, const BenchOutcome& outcome,
                   const std::string& title) {
  Report report{.title = title};
  if (options.goal != BenchGoal::kOneRun) {
    report.sections.push_back(SearchSection(options, outcome));
  }
  const BenchPoint& shown = ShownPoint(outcome);
  report.sections.push_back(ThroughputSection(shown));
  report.sections.push_back(LatencySection(shown));
  report.sections.push_back(TimelineSection(shown));
  report.sections.push_back(ClientSection(shown));
  return report;
}

}  // namespace glint::load
