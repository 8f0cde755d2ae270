// SPDX-License-Identifier: Apache-2.0
#include "kernels/operations_cpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>

#include "kernels/internal/test_cpu.h"
#include "kernels/silu_mul/silu_mul_cpu.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using CpuOperationsOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, CpuOperationsOn, EachIsa(), IsaTestName);

TEST_P(CpuOperationsOn, EveryOperationOfTheListIsThere) {
  std::array<std::uintptr_t, sizeof(OperationTable) / sizeof(std::uintptr_t)> entries{};
  std::memcpy(entries.data(), &CpuOperations(isa()), sizeof(entries));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_NE(entries[i], 0U) << IsaName(isa()) << " entry " << i;
  }
  EXPECT_EQ(std::string_view(CpuOperations(isa()).name), IsaName(isa()));
}

TEST_P(CpuOperationsOn, RunTheLoopsOfTheirInstructionSet) {
  TestActivation gate(tensor::DType::kF32, 2, 19);
  TestActivation up(tensor::DType::kF32, 2, 19);
  gate.FillRandom(1);
  up.FillRandom(2);
  const TestActivation out(tensor::DType::kF32, 2, 19);
  const TestActivation want(tensor::DType::kF32, 2, 19);
  const auto cpu = device::MakeCpuDevice(2);
  const auto stream = cpu->CreateStream();
  stream->BeginCapture();
  CpuOperations(isa()).silu_mul(*stream, {gate.view(), up.view(), out.view(), {}});
  const auto graph = stream->EndCapture();
  EXPECT_TRUE(out.IsUntouched(0, 0, 19));
  stream->Launch(*graph);
  RunOnCpu(SiluMulCpu, isa(), 1, {gate.view(), up.view(), want.view(), {}});
  EXPECT_TRUE(SameRows(out.view(), want.view()));
}

}  // namespace
}  // namespace glint::kernels
