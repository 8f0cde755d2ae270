// SPDX-License-Identifier: Apache-2.0
// A thread that looks at an engine now and then, and logs its state once when a step stalls.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include "engine/engine.h"

namespace glint::engine {

class Watchdog {
 public:
  // Asks `counts` once in `interval` until the object goes, and calls `on_stall` after it has
  // spoken: both on its own thread.
  Watchdog(std::function<EngineCounts()> counts, std::function<void()> on_stall,
           std::chrono::nanoseconds interval);

 private:
  void Run(const std::stop_token& stop);
  void Look(const EngineCounts& counts);

  std::function<EngineCounts()> counts_;
  std::function<void()> on_stall_;
  std::chrono::nanoseconds interval_;
  bool stalled_ = false;
  std::jthread thread_;  // last: it ends first
};

}  // namespace glint::engine
