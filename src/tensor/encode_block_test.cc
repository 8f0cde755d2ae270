// SPDX-License-Identifier: Apache-2.0
#include "tensor/encode_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tensor/block_format.h"
#include "tensor/internal/encode_block_reference.h"

namespace glint::tensor {
namespace {

struct Case {
  const char* name;
  // Of values between -1 and 1: half a step with what the scale's rounding adds, a whole one where
  // codes end unevenly; and evenly spread, so a quarter of a step.
  double worst;
  double mean;
};

class EncodeBlockTest : public testing::TestWithParam<Case> {};

std::vector<float> Decoded(WeightFormat format, const std::vector<float>& values) {
  std::vector<std::byte> block(static_cast<std::size_t>(BlockOf(format)->bytes));
  std::vector<float> out(values.size());
  EncodeBlock(format, values.data(), block.data());
  DecodeBlock(format, block.data(), out.data());
  return out;
}

TEST_P(EncodeBlockTest, IsWithinAStepOfEachValue) {
  const WeightFormat format = *ParseBlockFormat(GetParam().name);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int run = 0; run < 200; ++run) {
    std::vector<float> values(static_cast<std::size_t>(BlockOf(format)->elements));
    const float size = std::ldexp(1.0F, run % 20 - 10);
    for (float& value : values) value = size * uniform(random);
    const std::vector<float> out = Decoded(format, values);
    double worst = 0;
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double error = std::abs(static_cast<double>(out[i]) - values[i]) / size;
      worst = std::max(worst, error);
      total += error;
    }
    ASSERT_LE(worst, GetParam().worst) << run;
    ASSERT_LE(total / static_cast<double>(values.size()), GetParam().mean) << run;
  }
}

TEST_P(EncodeBlockTest, ZerosStayZerosAndTheLargestIsKept) {
  const WeightFormat format = *ParseBlockFormat(GetParam().name);
  std::vector<float> values(static_cast<std::size_t>(BlockOf(format)->elements), 0.0F);
  EXPECT_EQ(Decoded(format, values), values);
  values[5] = -3.0F;
  const std::vector<float> out = Decoded(format, values);
  EXPECT_NEAR(out[5], -3.0F, 0.02F);
  EXPECT_NEAR(out[6], 0.0F, 0.02F);
}

INSTANTIATE_TEST_SUITE_P(Formats, EncodeBlockTest,
                         testing::Values(Case{"q8_0", 1.02 / 254, 1.4 / 508},
                                         Case{"q4_0", 1.01 / 8, 1.3 / 32},
                                         Case{"q4_k", 1.2 / 15, 1.2 / 30},
                                         Case{"q6_k", 1.2 / 32, 1.2 / 128},
                                         Case{"mxfp4", 2.0 / 6, 1.0 / 9}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(EncodeBlock, UnknownNames) {
  EXPECT_FALSE(ParseBlockFormat("q3_k").has_value());
  EXPECT_FALSE(ParseBlockFormat("").has_value());
}

TEST(EncodeBlock, Mxfp4HoldsItsOwnNumbersExactly) {
  std::vector<float> values(32, 0.0F);
  const float numbers[] = {0.5F, 1, 1.5F, 2, 3, 4, 6, -6, -0.5F};
  std::copy(std::begin(numbers), std::end(numbers), values.begin());
  EXPECT_EQ(Decoded(WeightFormat::kMxfp4Block, values), values);
}

// Values of any of `exponents` exponents from the smallest on, ties between two codes, zeros of
// both signs, and blocks of zeros.
std::vector<float> AwkwardBlock(std::size_t count, int exponents, std::mt19937& random) {
  std::vector<float> values(count, random() % 2 == 0 ? 0.0F : -0.0F);
  const int kind = static_cast<int>(random() % 8);
  const int exponent = static_cast<int>(random() % static_cast<unsigned>(exponents)) - 126;
  for (float& value : values) {
    const int whole = static_cast<int>(random() % 513) - 256;
    if (kind == 0 || random() % 8 == 0) continue;
    if (kind < 4) value = static_cast<float>(whole) / 16;  // ties are frequent
    if (kind == 4) value = std::ldexp(static_cast<float>(whole), exponent - 8);
    if (kind == 5) value = static_cast<float>(whole) * 1e-7F;
    if (kind >= 6) value = static_cast<float>(random()) * (kind == 6 ? 1e-9F : -1e-9F);
  }
  return values;
}

TEST_P(EncodeBlockTest, WritesTheBytesOfTheReference) {
  const WeightFormat format = *ParseBlockFormat(GetParam().name);
  std::mt19937 random(11);
  // A scale in binary16 must hold the largest.
  const int exponents = format == WeightFormat::kMxfp4Block ? 253 : 140;
  std::vector<std::byte> expected(static_cast<std::size_t>(BlockOf(format)->bytes));
  std::vector<std::byte> found(expected.size());
  for (int run = 0; run < 20'000; ++run) {
    const std::vector<float> values =
        AwkwardBlock(static_cast<std::size_t>(BlockOf(format)->elements), exponents, random);
    reference::EncodeBlock(format, values.data(), expected.data());
    EncodeBlock(format, values.data(), found.data());
    ASSERT_EQ(found, expected) << run;
  }
}

}  // namespace
}  // namespace glint::tensor
