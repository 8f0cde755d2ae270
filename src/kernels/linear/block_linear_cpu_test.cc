// SPDX-License-Identifier: Apache-2.0
// linear on the CPU with integer products: every interleaved format.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/internal/test_cpu.h"
#include "kernels/linear/linear_cpu.h"
#include "kernels/linear/linear_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;

LinearArgs ArgsOf(const TestQuantized& x, const TestInterleaved& weight,
                  const TestActivation& out) {
  LinearArgs args;
  args.quantized_x = x.view();
  args.weight = weight.view();
  args.out = out.view();
  return args;
}

// The contract's bound, with the sizes of codes and of minima apart: a kernel may add the two.
double Bound(const TestQuantized& x, const tensor::WeightView& weight, std::int64_t row,
             std::int64_t n) {
  double size = 0;
  for (std::int64_t k = 0; k < weight.columns; ++k) {
    size += std::abs(x.At(row, k)) * (std::abs(tensor::WeightElement(weight, n, k)) + 0.5);
  }
  return std::ldexp(static_cast<double>(weight.columns + 4) * size, -24);
}

void ExpectReference(Isa isa, TestWeight::Form form, std::int64_t rows, std::int64_t columns,
                     std::int64_t outputs) {
  TestQuantized x(DType::kI8, rows, columns, 32);
  x.FillRandom(1);
  const TestWeight stored(form, outputs, columns, 2);
  const TestInterleaved weight(stored);
  const TestWeight bias({tensor::WeightFormat::kPlain, DType::kF32}, outputs, 1, 3);
  const TestActivation out(DType::kF32, rows, outputs, 5);
  const TestActivation want(DType::kF32, rows, outputs);
  LinearArgs args = ArgsOf(x, weight, want);
  if (outputs % 16 == 8) args.bias = bias.view();
  LinearReference(args);
  args.out = out.view();
  ASSERT_TRUE(CheckLinearArgs(args).ok()) << CheckLinearArgs(args).error().message;
  ASSERT_EQ(CpuFallbackReason(args), "");
  RunOnCpu(LinearCpu, isa, 2, args);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t n = 0; n < outputs; ++n) {
      ASSERT_NEAR(out.At(row, n), want.At(row, n), Bound(x, weight.view(), row, n))
          << IsaName(isa) << " " << tensor::WeightFormatName(form.format) << " row " << row
          << " output " << n;
    }
  }
  EXPECT_TRUE(out.GapsAreUntouched());
}

using BlockLinearCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, BlockLinearCpuOn, EachIsa(), IsaTestName);

TEST_P(BlockLinearCpuOn, IsWithinTheBoundOfTheReference) {
  for (const TestWeight::Form& form : InterleavedForms()) {
    ExpectReference(isa(), form, 1, 256, 8);
    ExpectReference(isa(), form, 3, 512, 24);
    ExpectReference(isa(), form, 9, 768, 64);
  }
}

// Codes and inputs at the ends of their ranges: what 16-bit sums must hold.
TEST_P(BlockLinearCpuOn, TheLargestProductsFit) {
  for (const TestWeight::Form& form : InterleavedForms()) {
    for (const int byte : {0x00, 0x0F, 0x77, 0x7F, 0x80, 0xF0, 0xFF}) {
      for (const int sign : {1, -1}) {
        TestQuantized x(DType::kI8, 1, 256, 32);
        x.FillWith(static_cast<std::int8_t>(sign * 127), 0.5F);
        TestWeight stored(form, 8, 256, 2);
        stored.SetCodes(byte);
        const TestInterleaved weight(stored);
        const TestActivation out(DType::kF32, 1, 8);
        const TestActivation want(DType::kF32, 1, 8);
        LinearReference(ArgsOf(x, weight, want));
        RunOnCpu(LinearCpu, isa(), 1, ArgsOf(x, weight, out));
        for (std::int64_t n = 0; n < 8; ++n) {
          ASSERT_NEAR(out.At(0, n), want.At(0, n), Bound(x, weight.view(), 0, n))
              << IsaName(isa()) << " " << tensor::WeightFormatName(form.format) << " " << byte;
        }
      }
    }
  }
}

TEST_P(BlockLinearCpuOn, GivesTheSameBitsForAnyRowsAndThreads) {
  for (const TestWeight::Form& form : InterleavedForms()) {
    TestQuantized x(DType::kI8, 11, 512, 32);
    x.FillRandom(1);
    const TestWeight stored(form, 136, 512, 2);
    const TestInterleaved weight(stored);
    const TestActivation one(DType::kF32, 11, 136);
    const TestActivation other(DType::kF32, 11, 136);
    RunOnCpu(LinearCpu, isa(), 1, ArgsOf(x, weight, one));
    RunOnCpu(LinearCpu, isa(), 3, ArgsOf(x, weight, other));
    ASSERT_TRUE(SameRows(one.view(), other.view()));
    for (std::int64_t row = 0; row < 11; ++row) {
      LinearArgs args = ArgsOf(x, weight, other);
      args.quantized_x.rows = 1;
      args.quantized_x.quantized =
          static_cast<std::int8_t*>(args.quantized_x.quantized) + row * 512;
      args.quantized_x.scales += row * 16;
      args.quantized_x.sums += row * 16;
      args.out = RowOf(other.view(), 0);
      RunOnCpu(LinearCpu, isa(), 2, args);
      ASSERT_TRUE(SameRow(one.view(), row, other.view(), 0));
    }
  }
}

// Integer sums are exact, and AVX2 and what came after it fuse the same multiplications and
// additions of floats.
TEST_P(BlockLinearCpuOn, HasTheBitsOfAvx2) {
  if (isa() <= Isa::kAvx2) GTEST_SKIP() << IsaName(isa()) << " is not newer than avx2";
  for (const TestWeight::Form& form : InterleavedForms()) {
    for (const std::int64_t rows : {1, 6, 13, 31}) {
      TestQuantized x(DType::kI8, rows, 768, 32);
      x.FillRandom(7);
      const TestWeight stored(form, 72, 768, 8);
      const TestInterleaved weight(stored);
      const TestActivation want(DType::kF32, rows, 72);
      const TestActivation out(DType::kF32, rows, 72);
      RunOnCpu(LinearCpu, Isa::kAvx2, 1, ArgsOf(x, weight, want));
      RunOnCpu(LinearCpu, isa(), 1, ArgsOf(x, weight, out));
      ASSERT_TRUE(SameRows(out.view(), want.view()))
          << tensor::WeightFormatName(form.format) << " " << rows << " rows";
    }
  }
}

TEST(BlockLinearCpu, LeavesOtherInputsToTheReference) {
  const TestWeight stored({tensor::WeightFormat::kQ4_0}, 8, 256, 2);
  const TestInterleaved weight(stored);
  const TestActivation out(DType::kF32, 1, 8);
  const TestQuantized groups_of_64(DType::kI8, 1, 256, 64);
  EXPECT_NE(CpuFallbackReason(ArgsOf(groups_of_64, weight, out)), "");
  const TestQuantized e4m3(DType::kF8E4M3, 1, 256, 32);
  EXPECT_NE(CpuFallbackReason(ArgsOf(e4m3, weight, out)), "");
  const TestQuantized x(DType::kI8, 1, 256, 32);
  LinearArgs args = ArgsOf(x, weight, out);
  args.weight = stored.view();
  EXPECT_NE(CpuFallbackReason(args), "");
  args.weight = weight.view();
  args.quantized_x.sums = nullptr;
  EXPECT_NE(CpuFallbackReason(args), "");
}

}  // namespace
}  // namespace glint::kernels
