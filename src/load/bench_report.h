// SPDX-License-Identifier: Apache-2.0
// A benchmark as a report: throughput, latency percentiles, timeline, the client's own load, and
// for a search the throughput against interactivity with its Pareto front.
#pragma once

#include "base/report.h"
#include "load/bench.h"

namespace glint::load {

// `title` names the server and the model.
Report ReportBench(const BenchOptions& options, const BenchOutcome& outcome,
                   const std::string& title);

// Of points (x, y), those that no other point beats in both, by rising x.
std::vector<std::pair<double, double>> ParetoFront(std::vector<std::pair<double, double>> points);

}  // namespace glint::load
