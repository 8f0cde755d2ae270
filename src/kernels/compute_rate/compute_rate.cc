// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_rate.h"

#include <chrono>
#include <vector>

#include "kernels/compute_rate/compute_loop.h"

namespace glint::kernels {

double MeasureComputeRate(Isa isa, device::WorkerPool& pool, Arithmetic arithmetic) {
  constexpr double kSeconds = 0.01;
  const auto run = arithmetic == Arithmetic::kF32
                       ? IsaEntry(isa, baseline::RunF32Loop, avx2::RunF32Loop, avx512::RunF32Loop,
                                  amx::RunF32Loop)
                       : IsaEntry(isa, baseline::RunInt8Loop, avx2::RunInt8Loop,
                                  avx512::RunInt8Loop, amx::RunInt8Loop);
  // A thread writes only its own; far enough apart for its own line of the cache.
  std::vector<std::int64_t> operations(static_cast<std::size_t>(pool.size()) * 16);
  for (std::int64_t rounds = 1024;; rounds *= 2) {
    const auto start = std::chrono::steady_clock::now();
    pool.Run(pool.size(), [&](std::int64_t thread) {
      const ComputeLoop loop{rounds, &operations[static_cast<std::size_t>(thread) * 16]};
      run(&loop);
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (taken.count() < kSeconds) continue;
    return static_cast<double>(operations.front()) * static_cast<double>(rounds) * pool.size() /
           taken.count();
  }
}

}  // namespace glint::kernels
