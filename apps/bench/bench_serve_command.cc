// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_serve_command.h"

#include <cstdio>
#include <fstream>
#include <memory>

#include "apps/bench/bench_serve_flags.h"
#include "apps/version.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "load/bench_report.h"

namespace glint {
namespace {

// A bar for each run; by time when nothing but the duration ends it.
load::BenchObserver ShowProgress() {
  struct State {
    std::string label;
    std::unique_ptr<Progress> bar;
  };
  auto state = std::make_shared<State>();
  return [state](const std::string& label, const load::WorkloadOptions& workload,
                 const load::RunCounts& counts, std::chrono::nanoseconds now) {
    const bool by_time = workload.requests == 0 && workload.trace.empty();
    const std::int64_t requests = workload.requests > 0
                                      ? workload.requests
                                      : static_cast<std::int64_t>(workload.trace.size());
    if (state->bar == nullptr || state->label != label) {
      state->bar.reset();
      state->label = label;
      state->bar = std::make_unique<Progress>(StderrProgress(
          label, by_time ? static_cast<std::int64_t>(workload.duration_s) : requests, false));
    }
    const std::int64_t ended = counts.completed + counts.failed + counts.cancelled;
    const double seconds = std::max(1e-3, std::chrono::duration<double>(now).count());
    state->bar->Update(
        by_time ? static_cast<std::int64_t>(seconds) : ended,
        format("{} running, {} done, {} failed, {:.0f} events/s", counts.sent - ended,
               counts.completed, counts.failed, static_cast<double>(counts.events) / seconds));
  };
}

bool WriteFile(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) LogError(format("{}: cannot be written", path));
  return static_cast<bool>(file);
}

// One object, or one a line for a search; a load that completed nothing has no figures.
std::string ResultText(const load::BenchOutcome& outcome) {
  if (outcome.points.size() == 1) return outcome.points[0].json().WriteIndented() + "\n";
  std::string lines;
  for (const load::BenchPoint& point : outcome.points) {
    if (point.summary.completed > 0) lines += point.json().Write() + "\n";
  }
  return lines;
}

int Print(const BenchServeFlags& flags, const load::BenchOptions& options,
          const load::BenchOutcome& outcome) {
  Report report = load::ReportBench(options, outcome,
                                    format("{} at {}:{}", options.context.model,
                                           options.run.target.host, options.run.target.port));
  report.subtitle = format("glint {}, {} UTC", Version(), outcome.points.back().context.date);
  const std::string result = ResultText(outcome);
  std::string records;
  if (!flags.records_file.empty()) {
    for (const load::BenchPoint& point : outcome.points) {
      records += load::AiperfRecords(point.run, point.context);
    }
  }
  for (const load::BenchPoint& point : outcome.points) {
    const std::string at = outcome.points.size() > 1 ? format("at {:g}: ", point.load) : "";
    if (point.summary.failed > 0) {
      LogWarning(format("{}{} requests failed", at, point.summary.failed));
    }
    for (const std::string& warning : load::ClientWarnings(point.run.client)) {
      LogWarning(at + warning);
    }
  }
  std::fputs((flags.json ? result : WriteReportText(report)).c_str(), stdout);
  const bool written = WriteFile(flags.result_file, result) &&
                       WriteFile(flags.records_file, records) &&
                       (flags.html.empty() || WriteFile(flags.html, WriteReportHtml(report)));
  return written ? 0 : 1;
}

int Run(const BenchServeFlags& flags) {
  bool exact = true;
  const auto vocabulary = MakeVocabulary(flags, exact);
  if (!vocabulary.ok()) {
    LogError(vocabulary.error().message);
    return 1;
  }
  const auto options = MakeBenchOptions(flags);
  if (!options.ok()) {
    LogError(options.error().message);
    return 1;
  }
  if (flags.insecure) LogWarning("--insecure: the server's certificate is not verified");
  if (!exact) LogWarning("prompts have as many words as tokens were asked for: give --tokenizer");
  const auto outcome = load::Bench(options.value(), vocabulary.value(), ShowProgress());
  if (!outcome.ok()) {
    LogError(outcome.error().message);
    return 1;
  }
  return Print(flags, options.value(), outcome.value());
}

}  // namespace

int RunBenchServe(const std::vector<std::string>& arguments) {
  BenchServeFlags flags;
  const CommandText text{
      .name = "glint bench serve",
      .summary = "Puts a server that speaks OpenAI's API under load, and measures what it does.",
      .examples =
          "  glint bench serve --max-concurrency 32 --duration 30 --html load.html\n"
          "  glint bench serve --request-rate 2.4 --random-input-len 20000 --random-output-len "
          "1000 "
          "--prefix-hit 0.6\n"
          "  glint bench serve --base-url https://llm.example --api-key KEY --max-concurrency 8\n"
          "  glint bench serve --find-rate-ttft 5000 --result-file ramp.jsonl\n"
          "  glint bench serve --trace azure.csv --trace-speed 2"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  return Run(flags);
}

}  // namespace glint
