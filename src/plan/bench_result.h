// SPDX-License-Identifier: Apache-2.0
// A speed from the result file of a load generator: `glint bench serve --result-file`, or any that
// writes vLLM's flat JSON keys.
//
// One JSON object, an array of them, or one a line (a sweep: one object for each load). Besides
// vLLM's keys, these are understood where present (vLLM's --metadata adds them): machine, gpus,
// precision, workload, accuracy (text or a list of texts), cached_input_share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/catalog.h"

namespace glint::plan {

// "p95_ttft_ms=5000": the statistic that a load must keep, and its limit. key is empty: no limit.
struct LatencyTarget {
  std::string key;  // a vLLM key that ends in _ms
  double most_ms = 0;
};
Result<LatencyTarget> ParseLatencyTarget(std::string_view text);

// All points of a file. kInvalidArgument or kDataLoss, naming file and key, when it is no such
// result: a throughput that is missing, zero or not finite, or no completed request.
Result<std::vector<SpeedResult>> ParseBenchResults(std::string_view text, std::string_view file);
Result<std::vector<SpeedResult>> ReadBenchResults(const std::string& path);

// The fastest of `points` that keeps `target`, with the target in its latency_target. A point that
// does not have the statistic is an error, never a pass; so is more than one point without a
// target.
Result<SpeedResult> ChoosePoint(const std::vector<SpeedResult>& points, const LatencyTarget& target,
                                std::string_view file);

}  // namespace glint::plan
