// SPDX-License-Identifier: Apache-2.0
#include "kernels/rope/rope.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/rope/rope_math.h"
#include "kernels/rope/rope_reference.h"

namespace glint::kernels {
namespace {

constexpr std::array<float, 2> kFrequencies = {1.0F, 0.01F};

std::vector<double> Rotated(bool interleaved, std::int32_t position, std::vector<double> values) {
  const RopeView rope = {kFrequencies.data(), 4, interleaved};
  RopeReference(rope, position, values);
  return values;
}

// glm-architecture.md section 7, item 2.
TEST(Rope, InterleavedTurnsTheFirstTwoElements) {
  const std::vector<double> out = Rotated(true, 1, {1, 0, 0, 0});
  EXPECT_FLOAT_EQ(static_cast<float>(out[0]), std::cos(1.0F));
  EXPECT_FLOAT_EQ(static_cast<float>(out[1]), std::sin(1.0F));
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 0);
}

TEST(Rope, HalfSplitTurnsElementsHalfAWidthApart) {
  const std::vector<double> out = Rotated(false, 1, {1, 0, 0, 0});
  EXPECT_FLOAT_EQ(static_cast<float>(out[0]), std::cos(1.0F));
  EXPECT_EQ(out[1], 0);
  EXPECT_FLOAT_EQ(static_cast<float>(out[2]), std::sin(1.0F));
  EXPECT_EQ(out[3], 0);
}

TEST(Rope, TheSecondPairTurnsWithItsOwnFrequency) {
  const std::vector<double> out = Rotated(true, 3, {0, 0, 0, 2});
  EXPECT_NEAR(out[2], -2 * std::sin(0.03), 1e-7);
  EXPECT_NEAR(out[3], 2 * std::cos(0.03), 1e-7);
}

TEST(Rope, PositionZeroChangesNothing) {
  EXPECT_EQ(Rotated(true, 0, {1, 2, 3, 4}), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Rope, LengthIsKept) {
  const std::vector<double> out = Rotated(false, 12345, {1, 2, 3, 4});
  const double length = out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3];
  EXPECT_NEAR(length, 30, 30 * 4 * std::ldexp(1.0, -24));
}

TEST(Rope, TheAngleIsAFloatProduct) {
  const float frequency = 0.7301F;
  const RopeRotation rotation = RopeRotationAt(999983, frequency);
  const float angle = 999983.0F * frequency;
  EXPECT_EQ(rotation.cosine, static_cast<float>(std::cos(static_cast<double>(angle))));
  EXPECT_EQ(rotation.sine, static_cast<float>(std::sin(static_cast<double>(angle))));
  // The product in double is another angle: 730 thousand radians have float steps of 1/16.
  const double wide = 999983.0 * static_cast<double>(frequency);
  EXPECT_GT(std::abs(static_cast<double>(rotation.cosine) - std::cos(wide)), 1e-4);
}

TEST(Rope, InverseFrequencyFallsFromOneToNearlyOneOverTheta) {
  std::array<float, 32> out = {};
  FillInverseFrequency(8e6F, 64, out.data());
  EXPECT_EQ(out[0], 1.0F);
  EXPECT_NEAR(static_cast<double>(out[1]), std::pow(8e6, -2.0 / 64), 1e-7);
  EXPECT_NEAR(static_cast<double>(out[16]), 1 / std::sqrt(8e6), 1e-10);
  EXPECT_NEAR(static_cast<double>(out[31]) * std::pow(8e6, 62.0 / 64), 1, 1e-6);
}

TEST(Rope, InverseFrequencyOfATinyWidth) {
  std::array<float, 2> out = {};
  FillInverseFrequency(100.0F, 4, out.data());
  EXPECT_EQ(out, (std::array<float, 2>{1.0F, 0.1F}));
}

}  // namespace
}  // namespace glint::kernels
