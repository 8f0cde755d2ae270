// SPDX-License-Identifier: Apache-2.0
// Finds the highest load that still keeps a latency: the knee of a rate, or a concurrency.
//
// A search, not a sweep: the load doubles until it fails, then the gap between the last that kept
// the limit and the first that did not is halved. Numbers only: what a load is, the caller runs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"

namespace glint::load {

struct SearchOptions {
  double start = 1;        // the first load, > 0
  double most = 1e6;       // never above
  double precision = 0.1;  // ends when the gap is below this share of the load that passed
  bool whole = false;      // loads are whole numbers
  int most_steps = 20;
};

struct SearchStep {
  double load = 0;
  bool passed = false;
};

struct SearchOutcome {
  std::optional<double> best;     // the highest load that passed; nullopt: none did
  bool limited = false;           // every load passed, up to options.most or most_steps
  std::vector<SearchStep> steps;  // in the order in which they ran
};

// `run` measures one load: true when it kept the limit. Its first error ends the search. When the
// start fails, lower loads are tried, down to start / 64 (whole: to 1).
Result<SearchOutcome> FindHighest(const SearchOptions& options,
                                  const std::function<Result<bool>(double load)>& run);

}  // namespace glint::load
