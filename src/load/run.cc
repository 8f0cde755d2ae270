// SPDX-License-Identifier: Apache-2.0
#include "load/run.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <thread>

#include "base/format.h"
#include "load/internal/remote.h"
#include "load/internal/worker.h"

namespace glint::load {
namespace {

constexpr std::chrono::milliseconds kWatch(100);
// Threads start and connect to their loops within this time; the schedule begins after it.
constexpr std::chrono::milliseconds kHeadStart(20);

Status CheckOptions(const RunOptions& options, const Workload& workload) {
  if (options.threads < 1 || options.threads > 256) {
    return InvalidArgument(format("threads is {}, must be 1 to 256", options.threads));
  }
  const bool open = workload.options().arrivals.has_value();
  if (options.max_concurrency < (open ? 0 : 1) || options.max_concurrency > 1'000'000) {
    return InvalidArgument(
        format("max-concurrency is {}, must be 1 to 1000000", options.max_concurrency));
  }
  if (options.api.extra.object() == nullptr && !options.api.extra.is_null()) {
    return InvalidArgument("extra-body must be a JSON object");
  }
  return Ok();
}

// Lets the process open as many sockets as the system allows it.
Status RaiseFileLimit(std::int64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return Ok();
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kOthers = 64;
  if (limit.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(wanted) + kOthers > limit.rlim_cur) {
    return ResourceExhausted(format("{} connections are asked for, the process may open {} files",
                                    wanted, limit.rlim_cur));
  }
  return Ok();
}

RunCounts Snapshot(const internal::LiveCounts& live) {
  return {.sent = live.sent.load(std::memory_order_relaxed),
          .completed = live.completed.load(std::memory_order_relaxed),
          .failed = live.failed.load(std::memory_order_relaxed),
          .cancelled = live.cancelled.load(std::memory_order_relaxed),
          .events = live.events.load(std::memory_order_relaxed)};
}

RunResult Join(const RunOptions& options, std::vector<std::unique_ptr<internal::Worker>>& workers) {
  RunResult result;
  result.client.threads = static_cast<int>(workers.size());
  double busiest_s = 0;
  for (const auto& worker : workers) {
    std::move(worker->records().begin(), worker->records().end(),
              std::back_inserter(result.records));
    const std::vector<double>& lag = worker->loop_lag_s();
    result.client.loop_lag_s.insert(result.client.loop_lag_s.end(), lag.begin(), lag.end());
    result.client.cpu_s += worker->cpu_s();
    result.client.connections += worker->connections();
    busiest_s = std::max(busiest_s, worker->cpu_s());
  }
  std::sort(result.records.begin(), result.records.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  for (const RequestRecord& record : result.records) {
    result.duration_s = std::max(result.duration_s, RequestRecord::Seconds(record.ended));
    if (record.scheduled && options.max_concurrency == 0) {
      result.client.schedule_lag_s.push_back(
          RequestRecord::Seconds(record.sent - *record.scheduled));
    }
  }
  if (result.duration_s > 0) result.client.busiest_thread_share = busiest_s / result.duration_s;
  return result;
}

}  // namespace

Result<RunResult> RunLoad(const RunOptions& options, Workload& workload,
                          const Vocabulary& vocabulary) {
  GLINT_TRY(CheckOptions(options, workload));
  GLINT_TRY(RaiseFileLimit(options.max_concurrency));
  GLINT_ASSIGN(const internal::Remote remote, internal::FindRemote(options.target));
  internal::LiveCounts live;
  std::atomic<int> alive{0};
  const auto start = std::chrono::steady_clock::now() + kHeadStart;
  // No more threads than streams.
  const std::int64_t streams = options.max_concurrency;
  const auto count = streams == 0
                         ? options.threads
                         : static_cast<int>(std::min<std::int64_t>(options.threads, streams));
  std::vector<std::unique_ptr<internal::Worker>> workers;
  workers.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const std::int64_t slots = streams / count + (i < streams % count ? 1 : 0);
    workers.push_back(std::make_unique<internal::Worker>(options, workload, vocabulary, remote,
                                                         live, i, slots, start));
  }
  std::vector<std::jthread> threads;
  threads.reserve(workers.size());
  for (const auto& worker : workers) {
    ++alive;
    threads.emplace_back([&worker, &alive] {
      worker->Run();
      --alive;
    });
  }
  while (alive.load() > 0) {
    std::this_thread::sleep_for(kWatch);
    if (options.progress)
      options.progress(Snapshot(live), std::chrono::steady_clock::now() - start);
  }
  threads.clear();
  return Join(options, workers);
}

}  // namespace glint::load
