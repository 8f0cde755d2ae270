// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace glint::device {
namespace {

TEST(WorkQueue, RunsEverythingInOrder) {
  std::vector<int> order;
  {
    WorkQueue queue;
    for (int i = 0; i < 1000; ++i) queue.Push([&order, i] { order.push_back(i); });
    queue.Drain();
    ASSERT_EQ(order.size(), 1000U);
    for (int i = 1000; i < 1100; ++i) queue.Push([&order, i] { order.push_back(i); });
  }  // what is queued is run before the end
  std::vector<int> expected(1100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(WorkQueue, PushDoesNotWaitForWork) {
  std::atomic<bool> release = false;
  WorkQueue queue;
  queue.Push([&release] { release.wait(false); });
  std::atomic<bool> ran = false;
  queue.Push([&ran] { ran = true; });
  EXPECT_FALSE(ran);
  release = true;
  release.notify_all();
  queue.Drain();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace glint::device
