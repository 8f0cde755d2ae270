// SPDX-License-Identifier: Apache-2.0
#include "load/search.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace glint::load {
namespace {

constexpr double kDeepest = 64;

Status CheckOptions(const SearchOptions& options) {
  if (!(options.start > 0 && options.start <= options.most && std::isfinite(options.most))) {
    return InvalidArgument(
        format("the search starts at {}, must be above 0 to {}", options.start, options.most));
  }
  if (!(options.precision > 0 && options.precision < 1) || options.most_steps < 1) {
    return InvalidArgument("precision must be between 0 and 1, steps 1 or more");
  }
  return Ok();
}

}  // namespace

Result<SearchOutcome> FindHighest(const SearchOptions& options,
                                  const std::function<Result<bool>(double load)>& run) {
  GLINT_TRY(CheckOptions(options));
  SearchOutcome out;
  std::optional<double> failed;  // the lowest load that did not keep the limit
  const double least = options.whole ? 1 : options.start / kDeepest;
  double load = options.start;
  while (static_cast<int>(out.steps.size()) < options.most_steps) {
    if (options.whole) load = std::max(1.0, std::floor(load));
    GLINT_ASSIGN(const bool passed, run(load));
    out.steps.push_back({load, passed});
    if (passed) {
      out.best = load;
    } else {
      failed = load;
    }
    if (!failed) {
      if (load >= options.most) break;
      load = std::min(2 * load, options.most);
      continue;
    }
    if (!out.best) {
      if (load <= least) break;
      load = std::max(load / 2, least);
      continue;
    }
    const double gap = *failed - *out.best;
    if (gap <= options.precision * *out.best || (options.whole && gap <= 1)) break;
    load = (*failed + *out.best) / 2;
  }
  out.limited = out.best.has_value() && !failed;
  return out;
}

}  // namespace glint::load
