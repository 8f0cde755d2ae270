// SPDX-License-Identifier: Apache-2.0
#include "kernels/add_norm/add_norm_cpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "kernels/add_norm/add_norm_reference.h"
#include "kernels/internal/test_cpu.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

// A call that owns its memory; the residual is the same each time one is made.
struct Call {
  Call(DType weights, std::int64_t rows, std::int64_t columns, std::int64_t part_count,
       bool norms_branch)
      : residual(DType::kF32, rows, columns, 2),
        normed(DType::kF32, rows, columns, 1),
        weight({WeightFormat::kPlain, weights}, columns, 1, 20),
        branch_weight({WeightFormat::kPlain, weights}, columns, 1, 21) {
    residual.FillRandom(1);
    args.residual = residual.view();
    args.weight = weight.view();
    args.normed = normed.view();
    args.part_stride = columns + 3;
    args.part_count = part_count;
    for (std::int64_t i = 0; i < part_count; ++i) {
      parts.push_back(std::make_unique<TestActivation>(DType::kF32, rows, columns, 3));
      parts.back()->FillRandom(static_cast<std::uint32_t>(10 + i));
      args.parts[i] = parts.back()->view().data;
    }
    if (norms_branch) args.branch_norm_weight = branch_weight.view();
  }

  TestActivation residual;
  TestActivation normed;
  TestWeight weight;
  TestWeight branch_weight;
  std::vector<std::unique_ptr<TestActivation>> parts;
  AddNormArgs args;
};

// The branch's factor errs by (columns + 8) u relative, its value by so much and part_count u of
// the magnitudes of the parts (which also moves the factor: hence twice), the new residual by one
// rounding more; u = 2^-24. With an exact residual the norm errs by (columns + 8) u relative.
void ExpectReference(Isa isa, DType weights, std::int64_t columns, std::int64_t parts,
                     bool norms_branch) {
  const std::int64_t rows = 3;
  Call call(weights, rows, columns, parts, norms_branch);
  Call want(weights, rows, columns, parts, norms_branch);
  ASSERT_TRUE(CheckAddNormArgs(call.args).ok());
  ASSERT_EQ(CpuFallbackReason(call.args), "");
  RunOnCpu(AddNormCpu, isa, 2, call.args);
  AddNormReference(want.args);
  const double relative = std::ldexp(static_cast<double>(columns + 8), -24);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    double squares = 0;
    for (std::int64_t k = 0; k < columns; ++k) {
      double branch = 0;
      for (const auto& part : call.parts) branch += part->At(i / columns, k);
      squares += branch * branch;
    }
    // |parts| < 1 and |weight| < 1; a norm's factor is 1 / root of the mean square.
    const double factor =
        norms_branch ? 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5) : 1;
    const double bound = (2 * relative + std::ldexp(static_cast<double>(parts), -22)) *
                             static_cast<double>(parts) * factor +
                         std::ldexp(1 + static_cast<double>(parts) * factor, -23);
    ASSERT_NEAR(call.residual.At(i / columns, i % columns),
                want.residual.At(i / columns, i % columns), parts == 0 ? 0 : bound)
        << IsaName(isa);
  }
  // The norm, against that of the residual that was stored.
  Call norm(weights, rows, columns, 0, false);
  norm.args.residual = call.residual.view();
  AddNormReference(norm.args);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const double value = norm.normed.At(i / columns, i % columns);
    ASSERT_NEAR(call.normed.At(i / columns, i % columns), value,
                (relative + std::ldexp(1.0, -23)) * std::abs(value))
        << IsaName(isa);
  }
  EXPECT_TRUE(call.residual.GapsAreUntouched());
  EXPECT_TRUE(call.normed.GapsAreUntouched());
}

using AddNormCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, AddNormCpuOn, EachIsa(), IsaTestName);

TEST_P(AddNormCpuOn, IsWithinTheBoundOfTheReference) {
  for (const DType weights : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (const std::int64_t columns : {1, 7, 8, 61, 64}) {
      for (const std::int64_t parts : {0, 1, 8}) {
        ExpectReference(isa(), weights, columns, parts, false);
        if (parts > 0) ExpectReference(isa(), weights, columns, parts, true);
      }
    }
  }
}

TEST_P(AddNormCpuOn, GivesTheSameBitsForAnyRowsAndThreads) {
  for (const bool norms_branch : {false, true}) {
    Call one(DType::kBF16, 40, 1003, 2, norms_branch);
    RunOnCpu(AddNormCpu, isa(), 1, one.args);
    for (const int threads : {2, 3}) {
      Call other(DType::kBF16, 40, 1003, 2, norms_branch);
      RunOnCpu(AddNormCpu, isa(), threads, other.args);
      ASSERT_TRUE(SameRows(one.args.residual, other.args.residual));
      ASSERT_TRUE(SameRows(one.args.normed, other.args.normed));
    }
    Call alone(DType::kBF16, 40, 1003, 2, norms_branch);
    alone.args.residual = RowOf(alone.args.residual, 17);
    alone.args.normed = RowOf(alone.args.normed, 17);
    for (std::size_t i = 0; i < 2; ++i) {
      alone.args.parts[i] = RowOf(alone.parts[i]->view(), 17).data;
    }
    RunOnCpu(AddNormCpu, isa(), 2, alone.args);
    ASSERT_TRUE(SameRow(one.args.residual, 17, alone.args.residual, 0));
    ASSERT_TRUE(SameRow(one.args.normed, 17, alone.args.normed, 0));
  }
}

TEST_P(AddNormCpuOn, QuantisesWhatItWrites) {
  Call call(DType::kF32, 7, 96, 1, false);
  const TestQuantized fused(DType::kI8, 7, 96, 32);
  const TestQuantized apart(DType::kI8, 7, 96, 32);
  call.args.quantized = fused.view();
  ASSERT_EQ(CpuFallbackReason(call.args), "");
  RunOnCpu(AddNormCpu, isa(), 2, call.args);
  QuantizeActivationReference({call.args.normed, apart.view()});
  EXPECT_TRUE(SameCodes(fused, apart));
}

TEST(AddNormCpu, LeavesWhatItLacksToTheReferenceAndSaysWhy) {
  Call call(DType::kF32, 2, 8, 1, false);
  Call want(DType::kF32, 2, 8, 1, false);
  const TestActivation bf16(DType::kBF16, 2, 8);
  const TestQuantized quantized(DType::kI8, 2, 8, 4);
  call.args.normed = bf16.view();
  EXPECT_EQ(CpuFallbackReason(call.args),
            "add_norm: no CPU kernel for BF16 activations, reference");
  RunOnCpu(AddNormCpu, Isa::kBaseline, 2, call.args);
  AddNormReference(want.args);
  EXPECT_TRUE(SameRows(call.args.residual, want.args.residual));
  want.args.quantized = quantized.view();
  EXPECT_EQ(CpuFallbackReason(want.args), "add_norm: no CPU kernel for groups of 4, reference");
  want.args.normed = {};
  EXPECT_EQ(CpuFallbackReason(want.args),
            "add_norm: no CPU kernel for quantised output alone, reference");
}

}  // namespace
}  // namespace glint::kernels
