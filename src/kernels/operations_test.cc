// SPDX-License-Identifier: Apache-2.0
#include "kernels/operations.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "device/cpu/cpu_device.h"

namespace glint::kernels {
namespace {

TEST(ReferenceOperations, EveryOperationOfTheListIsThere) {
  // The table is a name and then function pointers only, so it can be read as an array of them.
  std::array<std::uintptr_t, sizeof(OperationTable) / sizeof(std::uintptr_t)> entries{};
  static_assert(sizeof(entries) == sizeof(OperationTable));
  std::memcpy(entries.data(), &ReferenceOperations(), sizeof(entries));
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_NE(entries[i], 0U) << "entry " << i;
}

TEST(ReferenceOperations, ACapturedOperationReadsItsInputsAtEachLaunch) {
  const auto cpu = device::MakeCpuDevice();
  const auto stream = cpu->CreateStream();
  std::array<float, 2> gate = {1, 2};
  std::array<float, 2> up = {3, 4};
  std::array<float, 2> out = {0, 0};
  const auto view = [](std::array<float, 2>& data) {
    return Activation{.data = data.data(), .rows = 1, .columns = 2, .stride = 2};
  };
  const SiluMulArgs args{.gate = view(gate), .up = view(up), .out = view(out)};
  ASSERT_TRUE(CheckSiluMulArgs(args).ok());
  stream->BeginCapture();
  ReferenceOperations().silu_mul(*stream, args);
  const auto graph = stream->EndCapture();
  EXPECT_EQ(out[0], 0);
  stream->Launch(*graph);
  const float first = out[0];
  EXPECT_GT(first, 0);
  up[0] = 6;
  stream->Launch(*graph);
  EXPECT_FLOAT_EQ(out[0], 2 * first);
}

}  // namespace
}  // namespace glint::kernels
