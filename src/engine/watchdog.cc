// SPDX-License-Identifier: Apache-2.0
#include "engine/internal/watchdog.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "base/thread_name.h"

namespace glint::engine {
namespace {

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Watchdog::Watchdog(std::function<EngineCounts()> counts, std::function<void()> on_stall,
                   std::chrono::nanoseconds interval)
    : counts_(std::move(counts)), on_stall_(std::move(on_stall)), interval_(interval) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Watchdog::Run(const std::stop_token& stop) {
  NameThread("glint-watchdog");
  std::mutex mutex;
  std::condition_variable_any tick;
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex);
    (void)tick.wait_for(lock, stop, interval_, [] { return false; });
    Look(counts_());
  }
}

void Watchdog::Look(const EngineCounts& counts) {
  const bool before = std::exchange(stalled_, counts.stalled());
  if (stalled_ == before) return;
  if (!stalled_) {
    LogInfo("steps are completed again");
    return;
  }
  LogError(
      format("no step was completed for {:.1f} s, {:.1f} s were expected at most: {} requests run, "
             "{} wait, {} of {} pages are free, {} steps were completed",
             Seconds(counts.since_progress), Seconds(counts.stall_after), counts.running,
             counts.waiting, counts.free_pages, counts.page_count, counts.steps));
  on_stall_();
}

}  // namespace glint::engine
