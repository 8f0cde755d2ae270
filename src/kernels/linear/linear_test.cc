// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/linear/linear_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

std::string MessageOf(const LinearArgs& args) {
  const Status status = CheckLinearArgs(args);
  return status.ok() ? "" : status.error().message;
}

LinearArgs ArgsOf(const Activation& x, const TestWeight& weight, const TestActivation& out) {
  LinearArgs args;
  args.x = x;
  args.weight = weight.view();
  args.out = out.view();
  return args;
}

// The last element of the output for an input row of ones.
double SumOfOnes(TestWeight& weight) {
  TestActivation x(DType::kF32, 1, weight.view().columns);
  for (std::int64_t k = 0; k < weight.view().columns; ++k) x.Set(0, k, 1);
  const TestActivation out(DType::kF32, 1, weight.view().rows);
  LinearReference(ArgsOf(x.view(), weight, out));
  return out.At(0, weight.view().rows - 1);
}

void FillData(TestWeight& weight, double value) {
  for (std::int64_t i = 0; i < weight.view().data.shape.ElementCount(); ++i) {
    weight.SetData(i, value);
  }
}

void FillScales(TestWeight& weight, double value) {
  for (std::int64_t i = 0; i < weight.view().scales.shape.ElementCount(); ++i) {
    weight.SetScale(i, value);
  }
}

TEST(LinearReference, IsTheProductWithTheTransposedMatrix) {
  TestWeight weight({WeightFormat::kPlain, DType::kF32}, 2, 3, 1);
  for (std::int64_t i = 0; i < 6; ++i) weight.SetData(i, static_cast<double>(i + 1));
  TestActivation x(DType::kF32, 2, 3, 2);
  const std::vector<double> values = {1, 0, -1, 2, 10, 100};
  for (std::int64_t i = 0; i < 6; ++i) x.Set(i / 3, i % 3, values[static_cast<std::size_t>(i)]);
  const TestActivation out(DType::kF32, 2, 2, 1);
  const std::vector<float> bias = {0.5F, -0.5F};
  LinearArgs args = ArgsOf(x.view(), weight, out);
  args.bias = VectorView(bias);
  EXPECT_EQ(MessageOf(args), "");
  LinearReference(args);
  EXPECT_EQ(out.At(0, 0), -1.5);  // 1 - 3 + 0.5
  EXPECT_EQ(out.At(0, 1), -2.5);  // 4 - 6 - 0.5
  EXPECT_EQ(out.At(1, 0), 322.5);
  EXPECT_EQ(out.At(1, 1), 657.5);
  EXPECT_TRUE(out.GapsAreUntouched());
}

TEST(LinearReference, ReadsNibblesLowFirst) {
  TestWeight int4({WeightFormat::kInt4Group, DType::kF32, 32}, 1, 64, 1);
  FillData(int4, 0x72);  // 2 - 8 = -6 and 7 - 8 = -1
  int4.SetScale(0, 0.5);
  int4.SetScale(1, 2);
  EXPECT_EQ(SumOfOnes(int4), 16 * -7 * 0.5 + 16 * -7 * 2.0);
  TestWeight mxfp4({WeightFormat::kMxfp4, DType::kF8E8M0}, 1, 64, 1);
  FillData(mxfp4, 0x72);  // 1.0 and 6.0
  mxfp4.SetScale(0, 127);
  mxfp4.SetScale(1, 124);  // 2^-3
  EXPECT_EQ(SumOfOnes(mxfp4), 16 * 7.0 + 16 * 7.0 / 8);
  TestActivation x(DType::kF32, 1, 64);
  for (std::int64_t k = 0; k < 64; ++k) x.Set(0, k, k == 0 ? 1 : 0);
  const TestActivation out(DType::kF32, 1, 1);
  LinearReference(ArgsOf(x.view(), mxfp4, out));
  EXPECT_EQ(out.At(0, 0), 1.0);
}

TEST(LinearReference, ScalesRowsAndBlocks) {
  TestWeight int8({WeightFormat::kInt8Channel, DType::kF32}, 3, 10, 1);
  FillData(int8, -3);
  int8.SetScale(2, 0.25);
  EXPECT_EQ(SumOfOnes(int8), -7.5);
  TestWeight channel({WeightFormat::kFp8Channel, DType::kBF16}, 3, 10, 1);
  FillData(channel, 1.5);
  channel.SetScale(2, 4);
  EXPECT_EQ(SumOfOnes(channel), 60);
  // The last row of 129 is in the second block of rows, the last 2 of 130 columns in the second
  // block of columns.
  TestWeight block({WeightFormat::kFp8Block, DType::kF32}, 129, 130, 1);
  FillData(block, 2);
  FillScales(block, 100);
  block.SetScale(2, 1);
  block.SetScale(3, 0.5);
  EXPECT_EQ(SumOfOnes(block), 128 * 2 + 2);
}

TEST(LinearReference, MultipliesQuantizedInputsByTheirGroupScale) {
  TestWeight weight({WeightFormat::kPlain, DType::kF32}, 1, 4, 1);
  FillData(weight, 1);
  const TestQuantized x(DType::kI8, 1, 4, 2);
  auto* codes = static_cast<std::int8_t*>(x.view().quantized);
  const std::vector<std::int8_t> values = {1, 2, -3, -4};
  std::copy(values.begin(), values.end(), codes);
  x.view().scales[0] = 0.5F;
  x.view().scales[1] = 8;
  const TestActivation out(DType::kF32, 1, 1);
  LinearArgs args = ArgsOf({}, weight, out);
  args.quantized_x = x.view();
  EXPECT_EQ(MessageOf(args), "");
  LinearReference(args);
  EXPECT_EQ(out.At(0, 0), 1.5 - 56);
}

// Four inputs of two rows, one per dtype.
struct Inputs {
  explicit Inputs(std::int64_t columns)
      : f32(DType::kF32, 2, columns),
        bf16(DType::kBF16, 2, columns, 3),
        i8(DType::kI8, 2, columns, 32),
        e4m3(DType::kF8E4M3, 2, columns, 32) {
    f32.FillRandom(1);
    bf16.FillRandom(2);
    i8.FillRandom(3);
    e4m3.FillRandom(4);
  }
  void Give(int input, LinearArgs& args) const {
    args.x = input == 0 ? f32.view() : input == 1 ? bf16.view() : Activation{};
    args.quantized_x = input == 2 ? i8.view() : input == 3 ? e4m3.view() : QuantizedActivation{};
  }
  [[nodiscard]] double At(int input, std::int64_t row, std::int64_t k) const {
    const TestActivation& plain = input == 0 ? f32 : bf16;
    const TestQuantized& quantized = input == 2 ? i8 : e4m3;
    return input < 2 ? plain.At(row, k) : quantized.At(row, k);
  }

  TestActivation f32;
  TestActivation bf16;
  TestQuantized i8;
  TestQuantized e4m3;
};

// The sum that the contract writes, taken from the views' own elements. Columns: one group, two
// groups, a block of 128 and a part of the next.
TEST(LinearReference, TakesEveryInputWithEveryWeightFormat) {
  for (const std::int64_t columns : {32, 64, 160}) {
    const Inputs inputs(columns);
    for (const TestWeight::Form& form : AllWeightForms()) {
      const TestWeight weight(form, 3, columns, 5);
      for (int input = 0; input < 4; ++input) {
        const TestActivation out(DType::kF32, 2, 3);
        LinearArgs args = ArgsOf({}, weight, out);
        inputs.Give(input, args);
        ASSERT_EQ(MessageOf(args), "") << WeightFormatName(form.format);
        LinearReference(args);
        double want = 0;
        for (std::int64_t k = 0; k < columns; ++k) want += inputs.At(input, 1, k) * weight.At(2, k);
        ASSERT_EQ(out.At(1, 2), static_cast<float>(want)) << WeightFormatName(form.format);
      }
    }
  }
}

TEST(LinearReference, RoundsOnceToBf16) {
  TestWeight weight({WeightFormat::kPlain, DType::kF32}, 1, 2, 1);
  weight.SetData(0, 256);
  weight.SetData(1, 0.75);
  TestActivation x(DType::kF32, 1, 2);
  x.Set(0, 0, 1);
  x.Set(0, 1, 1);
  const TestActivation out(DType::kBF16, 1, 1);
  const std::vector<float> bias = {0.5F};
  LinearArgs args = ArgsOf(x.view(), weight, out);
  args.bias = VectorView(bias);
  LinearReference(args);
  EXPECT_EQ(out.At(0, 0), 258);  // 257.25 in steps of 2; had 256.75 been rounded first: 256
}

TEST(CheckLinearArgs, NamesWhatDoesNotFit) {
  const TestWeight weight({WeightFormat::kPlain, DType::kF32}, 3, 4, 1);
  const TestActivation x(DType::kF32, 2, 4);
  const TestActivation out(DType::kF32, 2, 3);
  const LinearArgs good = ArgsOf(x.view(), weight, out);
  EXPECT_EQ(MessageOf(good), "");
  LinearArgs args = good;
  args.x = {};
  EXPECT_EQ(MessageOf(args), "linear: x and quantized_x are both null");
  const TestQuantized quantized(DType::kI8, 2, 4, 4);
  args.quantized_x = quantized.view();
  EXPECT_EQ(MessageOf(args), "");
  args.x = good.x;
  EXPECT_EQ(MessageOf(args), "linear: x and quantized_x are both given");
  args = good;
  args.x.columns = 3;
  EXPECT_EQ(MessageOf(args), "linear: x is [2, 3], must be [2, 4]");
  args = good;
  args.out.rows = 1;
  EXPECT_EQ(MessageOf(args), "linear: out is [1, 3], must be [2, 3]");
  args = good;
  const std::vector<float> bias = {1, 2};
  args.bias = VectorView(bias);
  EXPECT_EQ(MessageOf(args), "linear: bias is [2, 1], must be [3, 1]");
  args = good;
  args.out.data = args.x.data;
  EXPECT_EQ(MessageOf(args), "linear: out shares memory with x");
}

TEST(CheckLinearArgs, WantsGroupsThatNestInTheWeightsScales) {
  const TestWeight weight({WeightFormat::kInt4Group, DType::kF32, 64}, 2, 192, 1);
  const TestActivation out(DType::kF32, 1, 2);
  for (const std::int64_t group : {1, 2, 32, 64, 192, 48, 96}) {
    const TestQuantized x(DType::kI8, 1, 192, group);
    LinearArgs args = ArgsOf({}, weight, out);
    args.quantized_x = x.view();
    const std::string want =
        group == 48 || group == 96
            ? "linear: weight has a scale per 64 columns, which does not fit groups of " +
                  std::to_string(group)
            : "";
    EXPECT_EQ(MessageOf(args), want);
  }
}

TEST(CheckLinearArgs, AllowsAStepWithoutRows) {
  const TestWeight weight({WeightFormat::kPlain, DType::kF32}, 3, 4, 1);
  const TestActivation x(DType::kF32, 1, 4);
  const TestActivation out(DType::kF32, 1, 3);
  LinearArgs args = ArgsOf(x.view(), weight, out);
  args.x.rows = 0;
  args.out.rows = 0;
  EXPECT_EQ(MessageOf(args), "");
  LinearReference(args);
  EXPECT_TRUE(out.IsUntouched(0, 0, 3));
}

}  // namespace
}  // namespace glint::kernels
