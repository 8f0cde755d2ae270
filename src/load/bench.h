// SPDX-License-Identifier: Apache-2.0
// A benchmark of a server: warm-up, then one run, or a search for the highest load that keeps a
// latency.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "load/result_json.h"
#include "load/run.h"
#include "load/search.h"
#include "load/summary.h"

namespace glint::load {

enum class BenchGoal : std::uint8_t {
  kOneRun,
  kHighestRate,         // open loop: the knee, under a limit of TTFT
  kHighestConcurrency,  // closed loop: under a limit of TPOT
};

struct BenchOptions {
  RunOptions run;
  WorkloadOptions workload;
  ResultContext context;
  Slo slo;
  std::int64_t warmup_requests = 1;
  BenchGoal goal = BenchGoal::kOneRun;
  double limit_ms = 0;     // of the goal's latency; > 0
  double percentile = 95;  // of the latency that the limit holds
  SearchOptions search;
};

struct BenchPoint {
  double load = 0;  // the rate or the concurrency
  bool passed = true;
  RunResult run;
  RunSummary summary;
  ResultContext context;
  [[nodiscard]] Json json() const { return VllmResult(run, summary, context); }
};

struct BenchOutcome {
  std::vector<BenchPoint> points;   // in the order in which they ran; one for kOneRun
  std::optional<std::size_t> best;  // of a search
  bool limited = false;             // the search ended before any load failed
};

// Tells about a point's run while it goes on: what it is, and how far.
using BenchObserver = std::function<void(const std::string& label, const WorkloadOptions& workload,
                                         const RunCounts& counts, std::chrono::nanoseconds now)>;

// Blocks until done. Errors: those of RunLoad, kUnavailable when no warm-up request was answered,
// and when no request of the only run was.
Result<BenchOutcome> Bench(BenchOptions options, const Vocabulary& vocabulary,
                           const BenchObserver& observer);

// The id of the first model that GET /v1/models lists. kUnavailable when the server does not
// answer, kNotFound when it lists none.
Result<std::string> FirstModel(const HttpTarget& target);

}  // namespace glint::load
