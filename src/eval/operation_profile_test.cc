// SPDX-License-Identifier: Apache-2.0
#include "eval/operation_profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "device/cpu/cpu_device.h"

namespace glint::eval {
namespace {

int calls = 0;

kernels::OperationTable Slow() {
  kernels::OperationTable table{.name = "slow"};
  table.add_norm = [](device::Stream&, const kernels::AddNormArgs&) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  };
  table.silu_mul = [](device::Stream&, const kernels::SiluMulArgs&) { ++calls; };
  return table;
}

TEST(OperationProfile, TimesCallsByNameAndRunsEachOnce) {
  const auto device = device::MakeCpuDevice(1);
  const auto stream = device->CreateStream();
  const kernels::OperationTable slow = Slow();
  OperationProfile profile(slow);
  EXPECT_STREQ(profile.table().name, "slow");
  calls = 0;
  profile.table().add_norm(*stream, {});  // before Start: runs, does not count
  profile.Start();
  profile.table().silu_mul(*stream, {});
  profile.table().add_norm(*stream, {});
  profile.table().add_norm(*stream, {});
  const auto totals = profile.Stop();
  EXPECT_EQ(calls, 4);
  ASSERT_EQ(totals.size(), 2);
  EXPECT_EQ(totals[0].cost.name, "add_norm");
  EXPECT_EQ(totals[0].calls, 2);
  EXPECT_GE(totals[0].seconds, 0.006);
  EXPECT_EQ(totals[1].cost.name, "silu_mul");
  EXPECT_EQ(totals[1].calls, 1);
}

}  // namespace
}  // namespace glint::eval
