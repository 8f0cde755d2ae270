// SPDX-License-Identifier: Apache-2.0
#include "load/workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"

namespace glint::load {
namespace {

Status CheckCount(std::int64_t value, std::int64_t least, std::int64_t most, const char* name) {
  if (value >= least && value <= most) return Ok();
  return InvalidArgument(format("{} is {}, must be {} to {}", name, value, least, most));
}

Status CheckShare(double value, const char* name) {
  if (value >= 0 && value <= 1) return Ok();
  return InvalidArgument(format("{} is {}, must be 0 to 1", name, value));
}

Status CheckOptions(const WorkloadOptions& options) {
  GLINT_TRY(CheckCount(options.requests, 0, 1'000'000'000, "num-prompts"));
  GLINT_TRY(CheckCount(options.input_tokens, 1, 100'000'000, "random-input-len"));
  GLINT_TRY(CheckCount(options.output_tokens, 1, 100'000'000, "random-output-len"));
  GLINT_TRY(CheckCount(options.prefix_groups, 1, 1'000'000, "prefix-groups"));
  GLINT_TRY(CheckCount(options.turns, 1, 10'000, "turns"));
  GLINT_TRY(CheckShare(options.prefix_share, "prefix-hit"));
  GLINT_TRY(CheckShare(options.cancel_share, "cancel-share"));
  if (!(options.range_ratio > 0 && options.range_ratio <= 1)) {
    return InvalidArgument(
        format("random-range-ratio is {}, must be above 0 to 1", options.range_ratio));
  }
  if (!(options.duration_s >= 0 && options.duration_s <= 1e8)) {
    return InvalidArgument(format("duration is {}, must be 0 to 1e8 s", options.duration_s));
  }
  if (!(options.trace_speed >= 1e-6 && options.trace_speed <= 1e6)) {
    return InvalidArgument(format("trace-speed is {}, must be above 0", options.trace_speed));
  }
  if (options.requests == 0 && options.duration_s == 0 && options.trace.empty()) {
    return InvalidArgument("num-prompts or duration must end the run");
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<Workload>> Workload::Create(WorkloadOptions options) {
  GLINT_TRY(CheckOptions(options));
  std::optional<Arrivals> arrivals;
  if (options.arrivals && options.trace.empty()) {
    GLINT_ASSIGN(arrivals, Arrivals::Create(*options.arrivals));
  }
  return std::unique_ptr<Workload>(new Workload(std::move(options), arrivals));
}

Workload::Workload(WorkloadOptions options, std::optional<Arrivals> arrivals)
    : options_(std::move(options)), arrivals_(arrivals), random_(options_.seed) {}

std::int64_t Workload::Length(std::int64_t most) {
  const auto least =
      static_cast<std::int64_t>(std::ceil(options_.range_ratio * static_cast<double>(most) - 1e-9));
  return std::uniform_int_distribution<std::int64_t>(std::max<std::int64_t>(1, least),
                                                     most)(random_);
}

std::optional<PlannedConversation> Workload::Next(double now_s) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return std::nullopt;
  ended_ = true;  // until this one is found to be within the limits
  const std::int64_t left = options_.requests == 0 ? options_.turns : options_.requests - requests_;
  if (left <= 0) return std::nullopt;
  PlannedConversation out;
  out.index = conversations_;
  out.first_request = requests_;
  out.seed = random_();
  std::uniform_real_distribution<double> share(0, 1);
  if (!options_.trace.empty()) {
    if (conversations_ >= static_cast<std::int64_t>(options_.trace.size())) return std::nullopt;
    const TraceRequest& row = options_.trace[static_cast<std::size_t>(conversations_)];
    // Without arrivals the trace gives lengths only.
    if (options_.arrivals) out.at_s = row.at_s / options_.trace_speed;
    out.block_ids = row.block_ids;
    out.turns.push_back(
        {row.input_tokens, row.output_tokens, share(random_) < options_.cancel_share});
  } else {
    if (arrivals_) out.at_s = arrivals_->Next();
    const auto turns = static_cast<std::size_t>(std::min<std::int64_t>(options_.turns, left));
    out.turns.reserve(turns);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const std::int64_t input = Length(options_.input_tokens);
      const std::int64_t output = Length(options_.output_tokens);
      out.turns.push_back({input, output, share(random_) < options_.cancel_share});
    }
    out.prefix_tokens =
        std::llround(options_.prefix_share * static_cast<double>(out.turns[0].input_tokens));
    out.prefix_group = conversations_ % options_.prefix_groups;
  }
  if (options_.duration_s > 0 && out.at_s.value_or(now_s) >= options_.duration_s) {
    return std::nullopt;
  }
  ended_ = false;
  ++conversations_;
  requests_ += static_cast<std::int64_t>(out.turns.size());
  return out;
}

std::int64_t Workload::total_requests() const {
  const auto rows = static_cast<std::int64_t>(options_.trace.size());
  if (rows == 0) return options_.requests;
  return options_.requests == 0 ? rows : std::min(rows, options_.requests);
}

}  // namespace glint::load
