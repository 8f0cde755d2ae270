// SPDX-License-Identifier: Apache-2.0
#include "device/collective.h"

#include <gtest/gtest.h>

#include <array>

#include "device/cpu/cpu_device.h"

namespace glint::device {
namespace {

TEST(SingleRank, CollectivesLeaveTheOneRanksData) {
  const std::unique_ptr<Device> cpu = MakeCpuDevice();
  const std::unique_ptr<Stream> stream = cpu->CreateStream();
  const std::unique_ptr<Collective> group = MakeSingleRank();
  EXPECT_EQ(group->rank(), 0);
  EXPECT_EQ(group->size(), 1);
  std::array<float, 2> mine = {1, 2};
  std::array<float, 2> all = {};
  group->AllReduceSum(*stream, tensor::DType::kF32, mine.data(), 2);
  group->Broadcast(*stream, mine.data(), sizeof(mine), 0);
  group->AllGather(*stream, tensor::DType::kF32, mine.data(), all.data(), 2);
  EXPECT_EQ(mine, (std::array<float, 2>{1, 2}));
  EXPECT_EQ(all, mine);
}

TEST(SingleRank, GatherIsCapturedLikeAnyWork) {
  const std::unique_ptr<Device> cpu = MakeCpuDevice();
  const std::unique_ptr<Stream> stream = cpu->CreateStream();
  const std::unique_ptr<Collective> group = MakeSingleRank();
  float mine = 1;
  float all = 0;
  stream->BeginCapture();
  group->AllGather(*stream, tensor::DType::kF32, &mine, &all, 1);
  const std::unique_ptr<Graph> graph = stream->EndCapture();
  mine = 5;
  stream->Launch(*graph);
  EXPECT_EQ(all, 5);
}

}  // namespace
}  // namespace glint::device
