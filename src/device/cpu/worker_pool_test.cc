// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <numeric>

namespace glint::device {
namespace {

TEST(WorkerPool, EveryPieceRunsOnce) {
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::int64_t count : {0, 1, 2, 1000}) {
      std::vector<int> runs(static_cast<std::size_t>(count), 0);
      pool.Run(count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const int times : runs) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkerPool, ManyShortJobsFollowEachOther) {
  WorkerPool pool(3);
  std::vector<std::int64_t> sums(3, 0);
  for (int job = 0; job < 20000; ++job) {
    pool.Run(3, [&](std::int64_t i) { sums[static_cast<std::size_t>(i)] += i + 1; });
  }
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), 20000 * 6);
}

TEST(WorkerPool, SleepingWorkersWakeUp) {
  WorkerPool pool(2);
  for (int job = 0; job < 3; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than a worker spins
    std::atomic<int> runs = 0;
    pool.Run(2, [&](std::int64_t) { ++runs; });
    EXPECT_EQ(runs, 2);
  }
}

}  // namespace
}  // namespace glint::device
