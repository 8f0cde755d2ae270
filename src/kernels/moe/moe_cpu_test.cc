// SPDX-License-Identifier: Apache-2.0
#include "kernels/moe/moe_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/internal/test_cpu.h"
#include "kernels/linear/linear_cpu.h"
#include "kernels/moe/moe_reference.h"
#include "kernels/quantize_activation/quantize_activation_cpu.h"
#include "kernels/silu_mul/silu_mul_cpu.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

// A step of moe that owns all its memory. Rows go to experts by a fixed pattern that leaves expert
// 1 out; of every fifth row slot 0 belongs to another rank, row 2 is padding.
struct Step {
  Step(DType dtype, std::int64_t rows, std::int64_t top_k, std::int64_t hidden,
       std::int64_t intermediate)
      : x(DType::kF32, rows, hidden, 3),
        addend(DType::kF32, rows, hidden, 1),
        out(DType::kF32, rows, hidden, 2),
        ids(static_cast<std::size_t>(rows * top_k)),
        expert_weights(ids.size()),
        scratch(static_cast<std::size_t>(MoeCpuScratchBytes(rows, top_k, intermediate, hidden))) {
    x.FillRandom(1);
    addend.FillRandom(2);
    TestNumbers numbers(3);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) / top_k;
      const std::int64_t slot = static_cast<std::int64_t>(i) % top_k;
      ids[i] = static_cast<std::int32_t>(2 + (row * row + slot) % (kExperts - 2));
      if (row == 2 || (row % 5 == 4 && slot == 0)) ids[i] = -1;
      expert_weights[i] = static_cast<float>(numbers.Next());
    }
    table.resize(kExperts);
    for (std::size_t i = 0; i < kExperts; ++i) {
      const auto seed = static_cast<std::uint32_t>(100 + 3 * i);
      const TestWeight::Form form{WeightFormat::kPlain, dtype};
      weights.push_back(std::make_unique<TestWeight>(form, intermediate, hidden, seed));
      weights.push_back(std::make_unique<TestWeight>(form, intermediate, hidden, seed + 1));
      weights.push_back(std::make_unique<TestWeight>(form, hidden, intermediate, seed + 2));
      if (i != 1) {
        table[i] = {weights[3 * i]->view(), weights[3 * i + 1]->view(), weights[3 * i + 2]->view()};
      }
    }
    args.x = x.view();
    args.experts = table.data();
    args.expert_count = kExperts;
    args.form = table[0];
    args.expert_ids = ids.data();
    args.expert_weights = expert_weights.data();
    args.top_k = top_k;
    args.out = out.view();
    args.scratch = scratch.data();
    args.scratch_bytes = static_cast<std::int64_t>(scratch.size());
  }

  static constexpr std::int32_t kExperts = 7;
  TestActivation x;
  TestActivation addend;
  TestActivation out;
  std::vector<std::int32_t> ids;
  std::vector<float> expert_weights;
  std::vector<std::byte> scratch;
  std::vector<std::unique_ptr<TestWeight>> weights;
  std::vector<ExpertView> table;
  MoeArgs args;
};

// A value and what it was summed from, in magnitudes.
struct Sized {
  double value = 0;
  double size = 0;
};

Sized Product(const tensor::WeightView& weight, std::int64_t n, const std::vector<double>& x) {
  Sized sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double term = x[k] * tensor::WeightElement(weight, n, static_cast<std::int64_t>(k));
    sum.value += term;
    sum.size += std::abs(term);
  }
  return sum;
}

// How far each column of a row may be from the exact one. A product of K columns errs by (K + 4) u
// of its magnitudes, u = 2^-24; silu has a slope of at most 1.1 and |silu(g)| <= |g|; silu_mul
// errs by 8 u; the weighted sum by (top_k + 2) u of its own magnitudes.
std::vector<double> Bounds(const MoeArgs& args, std::int64_t row) {
  const double u = std::ldexp(1.0, -24);
  const auto hidden = static_cast<double>(args.form.gate.columns + 4);
  const auto width = static_cast<double>(args.form.down.columns + 4);
  const float* first = static_cast<const float*>(args.x.data) + row * args.x.stride;
  const std::vector<double> x(first, first + args.x.columns);
  std::vector<double> bounds(x.size());
  for (std::int64_t slot = row * args.top_k; slot < (row + 1) * args.top_k; ++slot) {
    if (args.expert_ids[slot] < 0) continue;
    const ExpertView& expert = args.experts[args.expert_ids[slot]];
    std::vector<double> h;
    std::vector<double> error;
    for (std::int64_t i = 0; i < expert.gate.rows; ++i) {
      const Sized gate = Product(expert.gate, i, x);
      const Sized up = Product(expert.up, i, x);
      const double silu = gate.value / (1 + std::exp(-gate.value));
      h.push_back(silu * up.value);
      error.push_back(1.1 * hidden * u * gate.size * std::abs(up.value) +
                      std::abs(silu) * hidden * u * up.size + 8 * u * std::abs(h.back()));
    }
    for (std::size_t n = 0; n < bounds.size(); ++n) {
      double down = 0;
      for (std::size_t i = 0; i < h.size(); ++i) {
        const double weight = std::abs(tensor::WeightElement(
            expert.down, static_cast<std::int64_t>(n), static_cast<std::int64_t>(i)));
        const double size = weight * std::abs(h[i]);
        down += weight * error[i] + (width + static_cast<double>(args.top_k + 2)) * u * size;
      }
      bounds[n] += std::abs(static_cast<double>(args.expert_weights[slot])) * down;
    }
  }
  // The addend is below 1; second-order terms are within the doubling.
  for (double& bound : bounds) bound = 2 * (bound + 2 * u);
  return bounds;
}

void ExpectReference(Isa isa, Step& step) {
  ASSERT_TRUE(CheckMoeArgs(step.args).ok());
  ASSERT_EQ(CpuFallbackReason(step.args), "");
  const Activation& out = step.args.out;
  const TestActivation want(DType::kF32, out.rows, out.columns);
  MoeArgs reference = step.args;
  reference.out = want.view();
  MoeReference(reference);
  RunOnCpu(MoeCpu, isa, 2, step.args);
  for (std::int64_t row = 0; row < out.rows; ++row) {
    const std::vector<double> bounds = Bounds(step.args, row);
    for (std::int64_t n = 0; n < out.columns; ++n) {
      ASSERT_NEAR(step.out.At(row, n), want.At(row, n), bounds[static_cast<std::size_t>(n)])
          << IsaName(isa) << " row " << row << " column " << n;
    }
  }
  EXPECT_TRUE(step.out.GapsAreUntouched());
}

using MoeCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, MoeCpuOn, EachIsa(), IsaTestName);

TEST_P(MoeCpuOn, IsWithinTheBoundOfTheReference) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    Step one(dtype, 1, 1, 13, 9);
    ExpectReference(isa(), one);
    Step some(dtype, 3, 2, 40, 16);
    ExpectReference(isa(), some);
    Step many(dtype, 20, 4, 33, 21);
    many.args.addend = many.addend.view();
    ExpectReference(isa(), many);
  }
}

TEST_P(MoeCpuOn, GivesTheSameBitsForAnyRowsAndThreads) {
  Step step(DType::kBF16, 23, 4, 603, 403);
  const TestActivation together(DType::kF32, 23, 603);
  MoeArgs args = step.args;
  args.out = together.view();
  RunOnCpu(MoeCpu, isa(), 1, args);
  args.out = step.out.view();
  for (const int threads : {2, 3}) {
    RunOnCpu(MoeCpu, isa(), threads, args);
    ASSERT_TRUE(SameRows(together.view(), step.out.view())) << IsaName(isa()) << threads;
  }
  for (const std::int64_t row : {0, 2, 4, 22}) {
    args.x = RowOf(step.x.view(), row);
    args.out = RowOf(step.out.view(), 0);
    args.expert_ids = step.ids.data() + row * 4;
    args.expert_weights = step.expert_weights.data() + row * 4;
    RunOnCpu(MoeCpu, isa(), 2, args);
    ASSERT_TRUE(SameRow(together.view(), row, step.out.view(), 0)) << IsaName(isa()) << row;
  }
}

TEST_P(MoeCpuOn, GivesARowWithoutExpertsItsAddendAndMayWriteOverIt) {
  Step step(DType::kF32, 6, 2, 24, 8);
  step.args.addend = step.addend.view();
  RunOnCpu(MoeCpu, isa(), 2, step.args);
  EXPECT_TRUE(SameRow(step.out.view(), 2, step.addend.view(), 2));
  step.args.out = step.addend.view();
  RunOnCpu(MoeCpu, isa(), 2, step.args);
  EXPECT_TRUE(SameRows(step.out.view(), step.addend.view()));
  step.args.addend = {};
  RunOnCpu(MoeCpu, isa(), 2, step.args);
  EXPECT_EQ(step.addend.At(2, 23), 0);
}

TEST(MoeCpu, SaysWhatItLacks) {
  Step step(DType::kF32, 1, 1, 8, 8);
  MoeArgs args = step.args;
  args.intermediate_dtype = DType::kBF16;
  EXPECT_EQ(CpuFallbackReason(args), "moe: no CPU kernel for BF16 intermediate, reference");
  args = step.args;
  args.form.down.format = WeightFormat::kInt8Channel;
  EXPECT_EQ(CpuFallbackReason(args), "moe: no CPU kernel for int8 channel weights, reference");
  args = step.args;
  args.x = {};
  EXPECT_EQ(CpuFallbackReason(args),
            "moe: no CPU kernel for quantised input but I8 in groups of 32 with sums, reference");
}

TEST(MoeCpuDeathTest, EndsOnTooLittleScratch) {
  Step step(DType::kF32, 1, 1, 8, 8);
  --step.args.scratch_bytes;
  EXPECT_DEATH(RunOnCpu(MoeCpu, Isa::kBaseline, 1, step.args), "scratch of 127 bytes, 128 needed");
}

// One expert's MLP of one quantised row, by the operations that moe fuses.
void ExpectComposed(Isa isa, const MoeArgs& args, std::int64_t row, std::vector<float>& sum) {
  const std::int64_t width = args.form.gate.rows;
  const std::int64_t hidden = args.form.gate.columns;
  QuantizedActivation x = args.quantized_x;
  x.rows = 1;
  x.quantized = static_cast<std::int8_t*>(x.quantized) + row * hidden;
  x.scales += row * (hidden / 32);
  x.sums += row * (hidden / 32);
  const TestActivation gate(DType::kF32, 1, width);
  const TestActivation up(DType::kF32, 1, width);
  const TestActivation down(DType::kF32, 1, hidden);
  const TestQuantized between(DType::kI8, 1, width, 32);
  for (std::int64_t slot = row * args.top_k; slot < (row + 1) * args.top_k; ++slot) {
    if (args.expert_ids[slot] < 0) continue;
    const ExpertView& expert = args.experts[args.expert_ids[slot]];
    RunOnCpu(LinearCpu, isa, 1, {.quantized_x = x, .weight = expert.gate, .out = gate.view()});
    RunOnCpu(LinearCpu, isa, 1, {.quantized_x = x, .weight = expert.up, .out = up.view()});
    RunOnCpu(SiluMulCpu, isa, 1, {.gate = gate.view(), .up = up.view(), .out = gate.view()});
    RunOnCpu(QuantizeActivationCpu, isa, 1, {.x = gate.view(), .out = between.view()});
    RunOnCpu(LinearCpu, isa, 1,
             {.quantized_x = between.view(), .weight = expert.down, .out = down.view()});
    for (std::int64_t n = 0; n < hidden; ++n) {
      float& one = sum[static_cast<std::size_t>(n)];
      one += args.expert_weights[slot] * static_cast<float>(down.At(0, n));
    }
  }
}

TEST_P(MoeCpuOn, IntegerProductsAreTheComposedOperations) {
  constexpr std::int64_t kRows = 9;
  constexpr std::int64_t kHidden = 256;
  for (const WeightFormat format : {WeightFormat::kQ4_0, WeightFormat::kQ8_0, WeightFormat::kQ6K}) {
    Step step(DType::kF32, kRows, 3, kHidden, 256);
    std::vector<std::unique_ptr<TestWeight>> stored;
    std::vector<std::unique_ptr<TestInterleaved>> weights;
    for (std::uint32_t i = 0; i < 3 * Step::kExperts; ++i) {
      stored.push_back(
          std::make_unique<TestWeight>(TestWeight::Form{format}, kHidden, 256, 200 + i));
      weights.push_back(std::make_unique<TestInterleaved>(*stored.back()));
    }
    for (std::size_t i = 0; i < Step::kExperts; ++i) {
      step.table[i] = {weights[3 * i]->view(), weights[3 * i + 1]->view(),
                       weights[3 * i + 2]->view()};
    }
    TestQuantized x(DType::kI8, kRows, kHidden, 32);
    x.FillRandom(9);
    step.args.x = {};
    step.args.quantized_x = x.view();
    step.args.form = step.table[0];
    step.args.intermediate_dtype = DType::kI8;
    step.args.intermediate_group = 32;
    ASSERT_TRUE(CheckMoeArgs(step.args).ok());
    ASSERT_EQ(CpuFallbackReason(step.args), "");
    RunOnCpu(MoeCpu, isa(), 3, step.args);
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<float> want(kHidden, 0.0F);
      ExpectComposed(isa(), step.args, row, want);
      double largest = 0;
      for (const float one : want) largest = std::max(largest, std::abs(double{one}));
      for (std::int64_t n = 0; n < kHidden; ++n) {
        // The same terms in the same order; only the weighted sum may round in another place.
        ASSERT_NEAR(step.out.At(row, n), want[static_cast<std::size_t>(n)], 1e-6 * largest)
            << IsaName(isa()) << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace glint::kernels
