// SPDX-License-Identifier: Apache-2.0
#include "load/bench.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "base/format.h"

namespace glint::load {
namespace {

std::string DateOf(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return format("{:04}{:02}{:02}-{:02}{:02}{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Result<RunResult> RunOnce(RunOptions run, const WorkloadOptions& workload,
                          const Vocabulary& vocabulary, const std::string& label,
                          const BenchObserver& observer) {
  GLINT_ASSIGN(const auto source, Workload::Create(workload));
  if (observer) {
    run.progress = [&](const RunCounts& counts, std::chrono::nanoseconds now) {
      observer(label, workload, counts, now);
    };
  }
  return RunLoad(run, *source, vocabulary);
}

Status WarmUp(const BenchOptions& options, const Vocabulary& vocabulary,
              const BenchObserver& observer) {
  if (options.warmup_requests == 0) return Ok();
  WorkloadOptions workload = options.workload;
  workload.requests = options.warmup_requests;
  workload.duration_s = 0;
  workload.arrivals.reset();
  workload.cancel_share = 0;
  // Other prompts than the run's, with the same shared prefixes.
  workload.seed ^= 0x5DEECE66DULL;
  RunOptions run = options.run;
  run.request_prefix =
      format("glint-warmup-{:x}", std::chrono::system_clock::now().time_since_epoch().count());
  run.max_concurrency = std::clamp<std::int64_t>(run.max_concurrency, 1, options.warmup_requests);
  GLINT_ASSIGN(const RunResult result, RunOnce(run, workload, vocabulary, "warm-up", observer));
  for (const RequestRecord& record : result.records) {
    if (record.outcome == Outcome::kCompleted) return Ok();
  }
  return Unavailable(format("{}: no warm-up request was answered: {}", options.run.target.origin(),
                            result.records.empty() ? "none was sent" : result.records[0].error));
}

// Runs one load and adds it to the outcome.
Status AddPoint(const BenchOptions& options, double load, const std::string& label,
                const Vocabulary& vocabulary, const BenchObserver& observer, BenchOutcome& out) {
  BenchPoint point{.load = load};
  const auto now = std::chrono::system_clock::now();
  point.context = options.context;
  point.context.date = DateOf(now);
  point.context.start_unix_s = std::chrono::duration<double>(now.time_since_epoch()).count();
  const auto& arrivals = options.workload.arrivals;
  point.context.request_rate =
      arrivals ? arrivals->rate_per_s : std::numeric_limits<double>::infinity();
  point.context.burstiness = arrivals ? arrivals->burstiness : 1;
  point.context.max_concurrency = options.run.max_concurrency;
  point.context.request_prefix = format("glint-{:x}", now.time_since_epoch().count());
  RunOptions run = options.run;
  run.request_prefix = point.context.request_prefix;
  GLINT_ASSIGN(point.run, RunOnce(run, options.workload, vocabulary, label, observer));
  point.summary = SummarizeRun(point.run, options.slo);
  point.context.num_prompts = static_cast<std::int64_t>(point.run.records.size());
  // A search goes on: a load that sent or answered nothing did not keep the limit.
  if (options.goal == BenchGoal::kOneRun) {
    if (point.run.records.empty()) {
      return InvalidArgument("no request was sent: the run is too short");
    }
    if (point.summary.completed == 0 && point.summary.cancelled == 0) {
      return Unavailable(format("all {} requests failed: {}", point.summary.failed,
                                point.summary.errors.front().first));
    }
  }
  out.points.push_back(std::move(point));
  return Ok();
}

bool KeepsLimit(const BenchOptions& options, const RunSummary& summary) {
  const Metric metric = options.goal == BenchGoal::kHighestRate ? Metric::kTtft : Metric::kTpot;
  const auto& latency = summary.latency(metric);
  if (!latency || summary.failed > 0) return false;
  return 1000 * Percentile(latency->sorted, options.percentile) <= options.limit_ms;
}

}  // namespace

Result<BenchOutcome> Bench(BenchOptions options, const Vocabulary& vocabulary,
                           const BenchObserver& observer) {
  if (options.warmup_requests < 0 || options.warmup_requests > 1'000'000) {
    return InvalidArgument(
        format("num-warmups is {}, must be 0 to 1000000", options.warmup_requests));
  }
  if (options.goal != BenchGoal::kOneRun &&
      !(options.limit_ms > 0 && std::isfinite(options.limit_ms))) {
    return InvalidArgument(format("the limit is {} ms, must be above 0", options.limit_ms));
  }
  // What can be refused is refused before the server hears of it.
  if (const auto workload = Workload::Create(options.workload); !workload.ok()) {
    return workload.error();
  }
  BenchOutcome out;
  GLINT_TRY(WarmUp(options, vocabulary, observer));
  if (options.goal == BenchGoal::kOneRun) {
    GLINT_TRY(AddPoint(options, 0, "requests", vocabulary, observer, out));
    return out;
  }
  const bool rate = options.goal == BenchGoal::kHighestRate;
  const auto run = [&](double load) -> Result<bool> {
    // Each point has prompts of its own, or the cache of the point before would answer it.
    ++options.workload.seed;
    if (rate) {
      options.workload.arrivals->rate_per_s = load;
      options.workload.arrivals->seed = options.workload.seed;
    } else {
      options.run.max_concurrency = std::llround(load);
    }
    const std::string label = rate ? format("{:g} requests/s", load) : format("{:g} streams", load);
    GLINT_TRY(AddPoint(options, load, label, vocabulary, observer, out));
    out.points.back().passed = KeepsLimit(options, out.points.back().summary);
    return out.points.back().passed;
  };
  options.search.whole = !rate;
  GLINT_ASSIGN(const SearchOutcome found, FindHighest(options.search, run));
  out.limited = found.limited;
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    if (found.best && out.points[i].load == *found.best) out.best = i;
  }
  return out;
}

Result<std::string> FirstModel(const HttpTarget& target) {
  GLINT_ASSIGN(const HttpReply reply, HttpGet(target, "/v1/models", std::chrono::seconds(10)));
  const std::string where = target.origin() + "/v1/models";
  if (reply.status != 200)
    return NotFound(format("{}: HTTP {}; give --model", where, reply.status));
  GLINT_ASSIGN(const Json json, ParseJson(reply.body, where));
  const Json* data = json.Find("data");
  if (data != nullptr && data->array() != nullptr && !data->array()->empty()) {
    const Json* id = data->array()->front().Find("id");
    if (id != nullptr && id->string() != nullptr) return *id->string();
  }
  return NotFound(format("{}: lists no model; give --model", where));
}

}  // namespace glint::load
