// SPDX-License-Identifier: Apache-2.0
// How long a new request would wait for its first token, from a few numbers that the scheduler
// makes after each step. Whoever takes requests asks it at once, without the scheduler.
#pragma once

#include <chrono>
#include <cstdint>

namespace glint::sched {

struct QueueLoad {
  std::int64_t waiting = 0;                // sequences that have not started
  std::int64_t waiting_tokens = 0;         // of their prompts
  std::int64_t running_prompt_tokens = 0;  // of those that run, not computed yet
  double ns_per_prompt_token = 0;          // with what runs beside them; 0: not known yet
  double ns_per_start = 0;  // between two sequences that may start; 0: the next may at once
};

// Time from now to the first token of a prompt of so many tokens, behind all that wait. It counts
// nothing as cached.
[[nodiscard]] inline std::chrono::nanoseconds EstimateFirstToken(const QueueLoad& load,
                                                                 std::int64_t prompt_tokens) {
  const std::int64_t tokens = load.waiting_tokens + load.running_prompt_tokens + prompt_tokens;
  const double ns = load.ns_per_prompt_token * static_cast<double>(tokens) +
                    load.ns_per_start * static_cast<double>(load.waiting + 1);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
}

// Whether the first token may be promised within `target`; a tenth of it is left for what the
// estimate does not see, such as prompts that come later with a better priority.
[[nodiscard]] inline bool KeepsFirstToken(const QueueLoad& load, std::int64_t prompt_tokens,
                                          std::chrono::nanoseconds target) {
  return EstimateFirstToken(load, prompt_tokens) <= target - target / 10;
}

}  // namespace glint::sched
