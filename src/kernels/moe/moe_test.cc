// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/linear/linear_reference.h"
#include "kernels/moe/moe_reference.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/silu_mul/silu_mul_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

std::string MessageOf(const Status& status) { return status.ok() ? "" : status.error().message; }

// Experts that own their memory, and the table of them.
class TestExperts {
 public:
  TestExperts(TestWeight::Form form, std::size_t count, std::int64_t hidden,
              std::int64_t intermediate) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto seed = static_cast<std::uint32_t>(100 + 3 * i);
      weights.push_back(std::make_unique<TestWeight>(form, intermediate, hidden, seed));
      weights.push_back(std::make_unique<TestWeight>(form, intermediate, hidden, seed + 1));
      weights.push_back(std::make_unique<TestWeight>(form, hidden, intermediate, seed + 2));
      table.push_back(
          {weights[3 * i]->view(), weights[3 * i + 1]->view(), weights[3 * i + 2]->view()});
    }
  }
  std::vector<std::unique_ptr<TestWeight>> weights;
  std::vector<ExpertView> table;
};

// As the host has it: without addresses.
ExpertView FormOf(const TestExperts& experts) {
  ExpertView form = experts.table.front();
  for (tensor::WeightView* weight : {&form.gate, &form.up, &form.down}) {
    weight->data.data = nullptr;
    weight->scales.data = nullptr;
  }
  return form;
}

MoeArgs ArgsOf(const TestActivation& x, const TestExperts& experts,
               const std::vector<std::int32_t>& ids, const std::vector<float>& weights,
               const TestActivation& out) {
  MoeArgs args;
  args.x = x.view();
  args.experts = experts.table.data();
  args.expert_count = static_cast<std::int64_t>(experts.table.size());
  args.form = FormOf(experts);
  args.expert_ids = ids.data();
  args.expert_weights = weights.data();
  args.top_k = static_cast<std::int64_t>(ids.size()) / x.view().rows;
  args.out = out.view();
  return args;
}

// One expert of one row by the other operations of this module, F32 between them.
std::vector<double> Composed(const ExpertView& expert, const Activation& x, DType middle,
                             std::int64_t group) {
  const TestActivation gate(DType::kF32, 1, expert.gate.rows);
  const TestActivation up(DType::kF32, 1, expert.gate.rows);
  const bool is_plain = middle == DType::kF32 || middle == DType::kBF16;
  const TestActivation plain(is_plain ? middle : DType::kF32, 1, expert.gate.rows);
  const TestQuantized quantized(is_plain ? DType::kI8 : middle, 1, expert.gate.rows,
                                is_plain ? expert.gate.rows : group);
  const TestActivation down(DType::kF32, 1, expert.down.rows);
  LinearReference({x, {}, expert.gate, {}, gate.view()});
  LinearReference({x, {}, expert.up, {}, up.view()});
  SiluMulReference({gate.view(), up.view(), plain.view(), quantized.view()});
  LinearReference({is_plain ? plain.view() : Activation{},
                   is_plain ? QuantizedActivation{} : quantized.view(),
                   expert.down,
                   {},
                   down.view()});
  std::vector<double> values(static_cast<std::size_t>(expert.down.rows));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = down.At(0, static_cast<std::int64_t>(i));
  }
  return values;
}

TEST(MoeReference, IsAWeightedSumOfMlps) {
  TestExperts experts({WeightFormat::kPlain, DType::kF32}, 2, 1, 1);
  // Expert 0: gate 1, up 2, down 3. Expert 1: gate -1, up 1, down 10.
  const std::vector<double> numbers = {1, 2, 3, -1, 1, 10};
  for (std::size_t i = 0; i < 6; ++i) experts.weights[i]->SetData(0, numbers[i]);
  TestActivation x(DType::kF32, 1, 1);
  x.Set(0, 0, std::log(3.0));
  TestActivation addend(DType::kF32, 1, 1);
  addend.Set(0, 0, 0.25);
  const TestActivation out(DType::kF32, 1, 1);
  const std::vector<std::int32_t> ids = {1, 0};
  const std::vector<float> weights = {0.5F, 2};
  MoeArgs args = ArgsOf(x, experts, ids, weights, out);
  args.addend = addend.view();
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "");
  MoeReference(args);
  const double l = x.At(0, 0);
  const double first = 0.75 * l * (2 * l) * 3;  // sigmoid(ln 3) = 3/4
  const double second = 0.25 * -l * l * 10;     // sigmoid(-ln 3) = 1/4
  EXPECT_NEAR(out.At(0, 0), 2 * first + 0.5 * second + 0.25, 1e-5);
}

TEST(MoeReference, EqualsTheOtherOperationsForEveryFormatAndIntermediate) {
  for (const TestWeight::Form& form : AllWeightForms()) {
    const TestExperts experts(form, 2, 64, 32);
    TestActivation x(DType::kBF16, 1, 64);
    x.FillRandom(7, 0.25);
    for (const DType middle : {DType::kF32, DType::kBF16, DType::kI8, DType::kF8E4M3}) {
      const TestActivation out(DType::kF32, 1, 64);
      const std::vector<std::int32_t> ids = {1};
      const std::vector<float> weights = {1};
      MoeArgs args = ArgsOf(x, experts, ids, weights, out);
      args.intermediate_dtype = middle;
      args.intermediate_group = 16;
      ASSERT_EQ(MessageOf(CheckMoeArgs(args)), "") << WeightFormatName(form.format);
      MoeReference(args);
      const std::vector<double> want = Composed(experts.table[1], x.view(), middle, 16);
      double largest = 0;
      for (const double value : want) largest = std::max(largest, std::abs(value));
      // The composed form rounds gate, up and h to F32: 3 * 2^-24 of sums that are at most 2^6
      // times their result. No h of these seeds is so near a tie that its code or BF16 changes.
      const double bound = std::ldexp(largest, -16);
      for (std::int64_t i = 0; i < 64; ++i) {
        ASSERT_NEAR(out.At(0, i), want[static_cast<std::size_t>(i)], bound)
            << WeightFormatName(form.format) << " " << tensor::DTypeName(middle);
      }
    }
  }
}

TEST(MoeReference, RoundsAndQuantizesTheIntermediateWhenAsked) {
  TestExperts experts({WeightFormat::kPlain, DType::kF32}, 1, 2, 2);
  // Gate 100 x0 (silu is the identity there), up 1 and 0.6: h = (100, 60.01) for x = (1, 0).
  const std::vector<double> gate = {100, 0, 100, 0};
  const std::vector<double> up = {1, 0, 0.6001, 0};
  const std::vector<double> down = {1, 0, 0, 1};
  for (std::int64_t i = 0; i < 4; ++i) {
    experts.weights[0]->SetData(i, gate[static_cast<std::size_t>(i)]);
    experts.weights[1]->SetData(i, up[static_cast<std::size_t>(i)]);
    experts.weights[2]->SetData(i, down[static_cast<std::size_t>(i)]);
  }
  TestActivation x(DType::kF32, 1, 2);
  x.Set(0, 0, 1);
  x.Set(0, 1, 0);
  const TestActivation out(DType::kF32, 1, 2);
  const std::vector<std::int32_t> ids = {0};
  const std::vector<float> weights = {1};
  MoeArgs args = ArgsOf(x, experts, ids, weights, out);
  MoeReference(args);
  EXPECT_FLOAT_EQ(static_cast<float>(out.At(0, 1)), 60.01F);
  args.intermediate_dtype = DType::kBF16;
  MoeReference(args);
  EXPECT_EQ(out.At(0, 1), 60);  // steps of 1/4
  args.intermediate_dtype = DType::kI8;
  args.intermediate_group = 2;
  MoeReference(args);
  EXPECT_FLOAT_EQ(static_cast<float>(out.At(0, 1)), 100.0F / 127 * 76);
  args.intermediate_group = 1;
  MoeReference(args);
  EXPECT_FLOAT_EQ(static_cast<float>(out.At(0, 1)), 60.01F);
}

TEST(MoeReference, SkipsSlotsOfOtherRanks) {
  const TestExperts experts({WeightFormat::kPlain, DType::kF32}, 3, 4, 2);
  TestActivation x(DType::kF32, 3, 4);
  x.FillRandom(1);
  TestActivation addend(DType::kBF16, 3, 4, 1);
  addend.FillRandom(2);
  const TestActivation out(DType::kF32, 3, 4);
  // Row 0 has one slot here, row 1 (padding) none, row 2 two. A skipped weight is not read.
  const std::vector<std::int32_t> ids = {-1, 2, -1, -1, 0, 1};
  const std::vector<float> weights = {std::nanf(""), 2, std::nanf(""), std::nanf(""), 1, -1};
  MoeArgs args = ArgsOf(x, experts, ids, weights, out);
  MoeReference(args);
  Activation row = x.view();
  row.rows = 1;
  const std::vector<double> two = Composed(experts.table[2], row, DType::kF32, 0);
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(out.At(0, i), 2 * two[static_cast<std::size_t>(i)], 1e-5);
    EXPECT_EQ(out.At(1, i), 0);
    EXPECT_FALSE(std::isnan(out.At(2, i)));
  }
  args.addend = addend.view();
  MoeReference(args);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(out.At(1, i), addend.At(1, i));
}

TEST(MoeReference, DoesNotReadEntriesThatNoIdNames) {
  TestExperts experts({WeightFormat::kPlain, DType::kF32}, 3, 4, 2);
  experts.table[1] = {};
  TestActivation x(DType::kF32, 1, 4);
  x.FillRandom(1);
  const TestActivation out(DType::kF32, 1, 4);
  const std::vector<std::int32_t> ids = {2, 0};
  const std::vector<float> weights = {1, 1};
  const MoeArgs args = ArgsOf(x, experts, ids, weights, out);
  MoeReference(args);
  EXPECT_FALSE(out.IsUntouched(0, 0, 4));
  const std::vector<std::int32_t> missing = {1, 0};
  EXPECT_DEATH(MoeReference(ArgsOf(x, experts, missing, weights, out)), "expert 1: moe: gate");
  const std::vector<std::int32_t> beyond = {3, 0};
  EXPECT_DEATH(MoeReference(ArgsOf(x, experts, beyond, weights, out)), "expert 3 of 3 in row 0");
}

TEST(MoeReference, MayWriteOverTheAddend) {
  const TestExperts experts({WeightFormat::kPlain, DType::kF32}, 2, 4, 2);
  TestActivation x(DType::kF32, 2, 4);
  x.FillRandom(1);
  TestActivation addend(DType::kBF16, 2, 4);
  addend.FillRandom(2);
  const TestActivation apart(DType::kBF16, 2, 4);
  const std::vector<std::int32_t> ids = {0, 1};
  const std::vector<float> weights = {0.5F, 0.25F};
  MoeArgs args = ArgsOf(x, experts, ids, weights, apart);
  args.addend = addend.view();
  MoeReference(args);
  args.out = addend.view();
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "");
  MoeReference(args);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(addend.At(i / 4, i % 4), apart.At(i / 4, i % 4));
}

TEST(MoeReference, TakesQuantizedInput) {
  const TestExperts experts({WeightFormat::kInt4Group, DType::kF32, 32}, 2, 64, 32);
  TestQuantized x(DType::kI8, 1, 64, 32);
  x.FillRandom(3);
  TestActivation same(DType::kF32, 1, 64);
  for (std::int64_t i = 0; i < 64; ++i) same.Set(0, i, x.At(0, i));
  const TestActivation out(DType::kF32, 1, 64);
  const TestActivation want(DType::kF32, 1, 64);
  const std::vector<std::int32_t> ids = {1, 0};
  const std::vector<float> weights = {0.5F, 0.25F};
  MoeReference(ArgsOf(same, experts, ids, weights, want));
  MoeArgs args = ArgsOf(same, experts, ids, weights, out);
  args.x = {};
  args.quantized_x = x.view();
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "");
  MoeReference(args);
  double largest = 0;
  for (std::int64_t i = 0; i < 64; ++i) largest = std::max(largest, std::abs(want.At(0, i)));
  // `same` holds q * scale rounded to F32: 2^-24 of sums that are at most 2^8 times their result.
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(out.At(0, i), want.At(0, i), std::ldexp(largest, -16));
  }
}

TEST(CheckMoeArgs, NamesWhatDoesNotFit) {
  const TestExperts experts({WeightFormat::kInt8Channel, DType::kF32}, 2, 4, 6);
  const TestActivation x(DType::kF32, 2, 4);
  const TestActivation out(DType::kF32, 2, 4);
  const std::vector<std::int32_t> ids = {0, 1};
  const std::vector<float> weights = {1, 1};
  const MoeArgs good = ArgsOf(x, experts, ids, weights, out);
  EXPECT_EQ(MessageOf(CheckMoeArgs(good)), "");
  MoeArgs args = good;
  args.form.down.columns = 5;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: form.down is [4, 5], must be [4, 6]");
  args = good;
  args.intermediate_dtype = DType::kF16;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)),
            "moe: intermediate_dtype is F16, must be F32, BF16, I8 or F8_E4M3");
  args.intermediate_dtype = DType::kI8;
  args.intermediate_group = 4;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: intermediate_group is 4, must divide 6 columns");
  args = good;
  args.top_k = 0;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: top_k is 0, must be > 0");
  args = good;
  args.experts = nullptr;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: experts is null");
  args = good;
  args.scratch_bytes = 8;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: scratch is null");
  args = good;
  args.x = {};
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: x and quantized_x are both null");
}

TEST(CheckMoeArgs, RejectsSharedMemory) {
  const TestExperts experts({WeightFormat::kPlain, DType::kF32}, 2, 4, 6);
  const TestActivation x(DType::kF32, 2, 4);
  const TestActivation out(DType::kF32, 2, 4);
  const std::vector<std::int32_t> ids = {0, 1};
  const std::vector<float> weights = {1, 1};
  const MoeArgs good = ArgsOf(x, experts, ids, weights, out);
  MoeArgs args = good;
  args.out.data = args.x.data;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: out shares memory with x");
  args = good;
  args.addend = args.out;
  args.addend.rows = 2;
  args.scratch = args.out.data;
  args.scratch_bytes = 4;
  EXPECT_EQ(MessageOf(CheckMoeArgs(args)), "moe: out shares memory with scratch");
}

TEST(CheckExpert, WantsTheFormOfTheTable) {
  const TestExperts int8({WeightFormat::kInt8Channel, DType::kF32}, 1, 64, 32);
  const TestExperts int4({WeightFormat::kInt4Group, DType::kBF16, 32}, 1, 64, 32);
  const ExpertView form = FormOf(int8);
  EXPECT_EQ(MessageOf(CheckExpert(form, int8.table[0])), "");
  EXPECT_EQ(MessageOf(CheckExpert(form, int4.table[0])),
            "moe: gate is int4 group of U8 with BF16 scales and group 32, must be int8 channel of "
            "I8 with F32 scales and group 0");
  ExpertView broken = int8.table[0];
  broken.down.data.data = nullptr;
  EXPECT_EQ(MessageOf(CheckExpert(form, broken)), "moe: down is null");
  broken = int8.table[0];
  broken.up.rows = 31;
  EXPECT_EQ(MessageOf(CheckExpert(form, broken)), "moe: up is [31, 64], must be [32, 64]");
}

}  // namespace
}  // namespace glint::kernels
