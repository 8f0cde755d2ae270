// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/add_norm/add_norm_reference.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

std::string MessageOf(const AddNormArgs& args) {
  const Status status = CheckAddNormArgs(args);
  return status.ok() ? "" : status.error().message;
}

AddNormArgs ArgsOf(const TestActivation& residual, const tensor::WeightView& weight,
                   const TestActivation& normed) {
  AddNormArgs args;
  args.residual = residual.view();
  args.weight = weight;
  args.normed = normed.view();
  return args;
}

void AddPart(AddNormArgs& args, const TestActivation& part) {
  args.parts[args.part_count++] = part.view().data;
  args.part_dtype = part.view().dtype;
  args.part_stride = part.view().stride;
}

TEST(AddNormReference, NormalizesWithoutABranchAndLeavesTheResidual) {
  TestActivation residual(DType::kF32, 1, 2, 1);
  residual.Set(0, 0, 3);
  residual.Set(0, 1, 4);
  const std::vector<float> weight = {2, -1};
  const TestActivation normed(DType::kF32, 1, 2);
  AddNormArgs args = ArgsOf(residual, VectorView(weight), normed);
  args.eps = 0.5F;
  EXPECT_EQ(MessageOf(args), "");
  AddNormReference(args);
  const double root = std::sqrt(13.0);  // mean of squares 12.5, eps 0.5
  EXPECT_FLOAT_EQ(static_cast<float>(normed.At(0, 0)), static_cast<float>(6 / root));
  EXPECT_FLOAT_EQ(static_cast<float>(normed.At(0, 1)), static_cast<float>(-4 / root));
  EXPECT_EQ(residual.At(0, 0), 3);
  EXPECT_EQ(residual.At(0, 1), 4);
  EXPECT_TRUE(residual.GapsAreUntouched());
}

TEST(AddNormReference, AddsThePartsOfAllRanks) {
  TestActivation residual(DType::kF32, 2, 2);
  residual.FillRandom(1);
  const double before = residual.At(1, 0);
  std::vector<std::unique_ptr<TestActivation>> parts;
  const std::vector<float> weight = {1, 1};
  const TestActivation normed(DType::kF32, 2, 2);
  AddNormArgs args = ArgsOf(residual, VectorView(weight), normed);
  double sum = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    parts.push_back(std::make_unique<TestActivation>(DType::kBF16, 2, 2, 3));
    parts.back()->FillRandom(10 + i);
    AddPart(args, *parts.back());
    sum += parts.back()->At(1, 0);
  }
  EXPECT_EQ(MessageOf(args), "");
  AddNormReference(args);
  EXPECT_EQ(residual.At(1, 0), static_cast<float>(before + sum));
}

TEST(AddNormReference, NormalizesTheStoredResidual) {
  // 256 + 1 rounds to 256 in BF16: the norm must see 256, not 257.
  TestActivation residual(DType::kBF16, 1, 2);
  TestActivation part(DType::kF32, 1, 2);
  residual.Set(0, 0, 256);
  residual.Set(0, 1, 256);
  part.Set(0, 0, 1);
  part.Set(0, 1, 44);
  const std::vector<float> weight = {1, 1};
  const TestActivation normed(DType::kF32, 1, 2);
  AddNormArgs args = ArgsOf(residual, VectorView(weight), normed);
  AddPart(args, part);
  AddNormReference(args);
  EXPECT_EQ(residual.At(0, 0), 256);
  EXPECT_EQ(residual.At(0, 1), 300);
  const double root = std::sqrt((256.0 * 256 + 300.0 * 300) / 2 + 1e-5);
  EXPECT_FLOAT_EQ(static_cast<float>(normed.At(0, 0)), static_cast<float>(256 / root));
}

TEST(AddNormReference, NormalizesTheBranchBeforeTheAdd) {
  TestActivation residual(DType::kF32, 1, 2);
  TestActivation first(DType::kF32, 1, 2);
  TestActivation second(DType::kF32, 1, 2);
  residual.Set(0, 0, 1);
  residual.Set(0, 1, 1);
  first.Set(0, 0, 1);
  first.Set(0, 1, 5);
  second.Set(0, 0, 2);
  second.Set(0, 1, -1);  // the branch is (3, 4): the sum is normalised, not each part
  const std::vector<float> weight = {1, 1};
  const std::vector<float> branch_weight = {10, 100};
  const TestActivation normed(DType::kF32, 1, 2);
  AddNormArgs args = ArgsOf(residual, VectorView(weight), normed);
  AddPart(args, first);
  AddPart(args, second);
  args.branch_norm_weight = VectorView(branch_weight);
  EXPECT_EQ(MessageOf(args), "");
  AddNormReference(args);
  const double root = std::sqrt(12.5 + static_cast<double>(1e-5F));
  EXPECT_FLOAT_EQ(static_cast<float>(residual.At(0, 0)), static_cast<float>(1 + 30 / root));
  EXPECT_FLOAT_EQ(static_cast<float>(residual.At(0, 1)), static_cast<float>(1 + 400 / root));
}

TEST(AddNormReference, TakesEveryWeightDTypeAndRoundsOnce) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    const TestWeight weight({WeightFormat::kPlain, dtype}, 64, 1, 3);
    TestActivation residual(DType::kF32, 2, 64);
    residual.FillRandom(4);
    const TestActivation exact(DType::kF32, 2, 64);
    const TestActivation rounded(DType::kBF16, 2, 64);
    AddNormReference(ArgsOf(residual, weight.view(), exact));
    AddNormReference(ArgsOf(residual, weight.view(), rounded));
    for (std::int64_t i = 0; i < 128; ++i) {
      const auto value = static_cast<float>(exact.At(i / 64, i % 64));
      ASSERT_EQ(rounded.At(i / 64, i % 64), tensor::Bf16ToFloat(tensor::FloatToBf16(value)));
      ASSERT_NE(value, 0.0F);
    }
  }
}

TEST(AddNormReference, QuantizesTheValueBeforeItsRounding) {
  for (const DType dtype : {DType::kI8, DType::kF8E4M3}) {
    TestActivation residual(DType::kF32, 2, 64);
    residual.FillRandom(6);
    const TestWeight weight({WeightFormat::kPlain, DType::kF32}, 64, 1, 3);
    const TestActivation exact(DType::kF32, 2, 64);
    const TestActivation rounded(DType::kBF16, 2, 64);
    const TestQuantized quantized(dtype, 2, 64, 16);
    const TestQuantized composed(dtype, 2, 64, 16);
    AddNormReference(ArgsOf(residual, weight.view(), exact));
    QuantizeActivationReference({exact.view(), composed.view()});
    AddNormArgs args = ArgsOf(residual, weight.view(), rounded);
    args.quantized = quantized.view();
    EXPECT_EQ(MessageOf(args), "");
    AddNormReference(args);
    for (std::int64_t i = 0; i < 128; ++i) {
      ASSERT_EQ(quantized.At(i / 64, i % 64), composed.At(i / 64, i % 64));
    }
  }
}

TEST(AddNormReference, GivesARowTheSameResultAmongOthers) {
  TestActivation many(DType::kBF16, 5, 32);
  TestActivation one(DType::kBF16, 1, 32);
  many.FillRandom(8);
  for (std::int64_t i = 0; i < 32; ++i) one.Set(0, i, many.At(3, i));
  const TestWeight weight({WeightFormat::kPlain, DType::kBF16}, 32, 1, 3);
  const TestActivation normed_many(DType::kF32, 5, 32);
  const TestActivation normed_one(DType::kF32, 1, 32);
  AddNormReference(ArgsOf(many, weight.view(), normed_many));
  AddNormReference(ArgsOf(one, weight.view(), normed_one));
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(normed_one.At(0, i), normed_many.At(3, i));
}

TEST(CheckAddNormArgs, NamesWhatDoesNotFit) {
  const TestActivation residual(DType::kBF16, 2, 4);
  const TestActivation part(DType::kF32, 2, 4);
  const TestActivation normed(DType::kBF16, 2, 4);
  const std::vector<float> weight = {1, 2, 3, 4};
  AddNormArgs good = ArgsOf(residual, VectorView(weight), normed);
  AddPart(good, part);
  EXPECT_EQ(MessageOf(good), "");
  AddNormArgs args = good;
  args.part_count = 9;
  EXPECT_EQ(MessageOf(args), "add_norm: part_count is 9, must be 0 to 8");
  args.part_count = 2;
  EXPECT_EQ(MessageOf(args), "add_norm: parts[1] is null");
  args = good;
  args.part_count = 0;
  args.branch_norm_weight = args.weight;
  EXPECT_EQ(MessageOf(args), "add_norm: branch_norm_weight is given, but part_count is 0");
  args = good;
  args.weight.rows = 3;
  EXPECT_EQ(MessageOf(args), "add_norm: weight is [3, 1], must be [4, 1]");
  args = good;
  args.eps = 0;
  EXPECT_EQ(MessageOf(args), "add_norm: eps is 0, must be > 0");
  args = good;
  args.normed = {};
  EXPECT_EQ(MessageOf(args), "add_norm: normed and quantized are both null");
}

TEST(CheckAddNormArgs, RejectsSharedMemory) {
  const TestActivation residual(DType::kF32, 2, 4);
  const TestActivation part(DType::kF32, 2, 4);
  const TestActivation normed(DType::kF32, 2, 4);
  const std::vector<float> weight = {1, 2, 3, 4};
  AddNormArgs good = ArgsOf(residual, VectorView(weight), normed);
  AddPart(good, part);
  AddNormArgs args = good;
  args.normed = args.residual;
  EXPECT_EQ(MessageOf(args), "add_norm: residual shares memory with normed");
  args = good;
  args.normed.data = part.view().data;
  EXPECT_EQ(MessageOf(args), "add_norm: normed shares memory with parts");
}

}  // namespace
}  // namespace glint::kernels
