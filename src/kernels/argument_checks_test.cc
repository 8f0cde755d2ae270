// SPDX-License-Identifier: Apache-2.0
#include "kernels/argument_checks.h"

#include <gtest/gtest.h>

#include <array>

#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

constexpr ArgumentName kName = {"op", "x"};

std::string MessageOf(const Status& status) { return status.ok() ? "" : status.error().message; }

TEST(ArgumentChecks, NameWhatIsWrongWithAnActivation) {
  TestActivation x(DType::kF32, 3, 4);
  EXPECT_EQ(MessageOf(CheckActivation(kName, x.view(), 3, 4)), "");
  EXPECT_EQ(MessageOf(CheckActivation(kName, x.view(), 3, 5)), "op: x is [3, 4], must be [3, 5]");
  Activation broken = x.view();
  broken.stride = 3;
  EXPECT_EQ(MessageOf(CheckActivation(kName, broken, 3, 4)),
            "op: x has stride 3, must be at least 4");
  broken = x.view();
  broken.dtype = DType::kF16;
  EXPECT_EQ(MessageOf(CheckActivation(kName, broken, 3, 4)), "op: x is F16, must be F32 or BF16");
  broken.data = nullptr;
  EXPECT_EQ(MessageOf(CheckActivation(kName, broken, 3, 4)), "op: x is null");
  broken = x.view();
  broken.columns = 0;
  EXPECT_EQ(MessageOf(CheckActivation(kName, broken, 3, 0)), "op: x is [3, 0], must not be empty");
}

TEST(ArgumentChecks, AllowAStepWithoutRows) {
  TestActivation x(DType::kF32, 1, 4);
  Activation none = x.view();
  none.rows = 0;
  EXPECT_EQ(MessageOf(CheckActivation(kName, none, 0, 4)), "");
}

TEST(ArgumentChecks, NameWhatIsWrongWithAQuantizedActivation) {
  TestQuantized x(DType::kI8, 2, 8, 4);
  EXPECT_EQ(MessageOf(CheckQuantized(kName, x.view(), 2, 8)), "");
  QuantizedActivation broken = x.view();
  broken.group = 3;
  EXPECT_EQ(MessageOf(CheckQuantized(kName, broken, 2, 8)),
            "op: x has group 3, must divide its 8 columns");
  broken.group = 0;
  EXPECT_EQ(MessageOf(CheckQuantized(kName, broken, 2, 8)),
            "op: x has group 0, must divide its 8 columns");
  broken = x.view();
  broken.scales = nullptr;
  EXPECT_EQ(MessageOf(CheckQuantized(kName, broken, 2, 8)), "op: x has no scales");
  broken = x.view();
  broken.dtype = DType::kU8;
  EXPECT_EQ(MessageOf(CheckQuantized(kName, broken, 2, 8)), "op: x is U8, must be I8 or F8_E4M3");
}

TEST(ArgumentChecks, TakeEveryWeightFormatAndNameItsFaults) {
  for (const TestWeight::Form& form : AllWeightForms()) {
    const TestWeight weight(form, 130, 160, 1);
    EXPECT_EQ(MessageOf(CheckWeight(kName, weight.view(), 130, 160)), "")
        << WeightFormatName(form.format);
    if (weight.view().scales.data == nullptr) continue;
    tensor::WeightView broken = weight.view();
    broken.scales.data = nullptr;
    EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 130, 160)), "op: x has no scales");
    broken = weight.view();
    broken.scales.shape = {7};
    EXPECT_NE(MessageOf(CheckWeight(kName, broken, 130, 160)).find("op: x has 7 scales, must be "),
              std::string::npos);
    broken = weight.view();
    broken.scales.dtype = DType::kI8;
    EXPECT_NE(MessageOf(CheckWeight(kName, broken, 130, 160)).find("op: x has I8 scales"),
              std::string::npos);
  }
}

TEST(ArgumentChecks, RejectWeightsWhoseDataIsNotOfTheirFormat) {
  const TestWeight weight({WeightFormat::kInt8Channel, DType::kF32}, 2, 64, 1);
  tensor::WeightView broken = weight.view();
  broken.format = WeightFormat::kFp8Channel;
  EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 2, 64)),
            "op: x holds I8, which fp8 channel does not");
  broken.format = WeightFormat::kPlain;
  EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 2, 64)), "op: x holds I8, which plain does not");
  broken = weight.view();
  broken.data.shape = {2, 63};
  EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 2, 64)), "op: x holds 126 elements, must be 128");
}

TEST(ArgumentChecks, RejectGroupsThatDoNotFit) {
  const TestWeight weight({WeightFormat::kInt4Group, DType::kF32, 32}, 2, 64, 1);
  tensor::WeightView broken = weight.view();
  broken.group = 48;
  EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 2, 64)),
            "op: x has group 48, must be 32, 64 or 128");
  broken.group = 128;
  EXPECT_EQ(MessageOf(CheckWeight(kName, broken, 2, 64)),
            "op: x has 64 columns, must be a multiple of group 128");
}

TEST(ArgumentChecks, TakePlainVectorsOnly) {
  const std::vector<float> values = {1, 2, 3};
  EXPECT_EQ(MessageOf(CheckVector(kName, VectorView(values), 3)), "");
  EXPECT_EQ(MessageOf(CheckVector(kName, VectorView(values), 4)),
            "op: x is [3, 1], must be [4, 1]");
  const TestWeight weight({WeightFormat::kInt8Channel, DType::kF32}, 3, 1, 1);
  EXPECT_EQ(MessageOf(CheckVector(kName, weight.view(), 3)),
            "op: x is int8 channel, must be plain");
}

TEST(ShareMemory, LetsHalvesOfARowInterleave) {
  TestActivation both(DType::kF32, 3, 8);
  Activation left = both.view();
  left.columns = 4;
  Activation right = left;
  right.data = static_cast<float*>(right.data) + 4;
  EXPECT_FALSE(ShareMemory(BlockOf("l", left), BlockOf("r", right)));
  EXPECT_FALSE(ShareMemory(BlockOf("r", right), BlockOf("l", left)));
  right.data = static_cast<float*>(left.data) + 3;
  EXPECT_TRUE(ShareMemory(BlockOf("l", left), BlockOf("r", right)));
  right.data = static_cast<float*>(left.data) + 5;  // its last element is the next row's first
  right.rows = 2;
  EXPECT_TRUE(ShareMemory(BlockOf("l", left), BlockOf("r", right)));
}

TEST(ShareMemory, OfNothingIsFalse) {
  TestActivation x(DType::kF32, 3, 8);
  Activation empty = x.view();
  empty.rows = 0;
  EXPECT_FALSE(ShareMemory(BlockOf("x", x.view()), BlockOf("e", empty)));
  EXPECT_FALSE(ShareMemory(BlockOf("x", x.view()), BlockOf("n", nullptr, 4)));
  EXPECT_TRUE(ShareMemory(BlockOf("x", x.view()), BlockOf("x", x.view())));
}

TEST(CheckDisjoint, NamesBothArguments) {
  const std::array<float, 4> memory = {};
  const std::array written = {BlockOf("out", memory.data(), 8), BlockOf("two", &memory[1], 8)};
  const std::array read = {BlockOf("in", &memory[2], 8)};
  EXPECT_EQ(MessageOf(CheckDisjoint("op", written, {})), "op: out shares memory with two");
  EXPECT_EQ(MessageOf(CheckDisjoint("op", std::span(written).last(1), read)),
            "op: two shares memory with in");
  EXPECT_EQ(MessageOf(CheckDisjoint("op", std::span(written).first(1), read)), "");
}

}  // namespace
}  // namespace glint::kernels
