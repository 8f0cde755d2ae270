// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_view.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace glint::tensor {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::optional<Shape> FromFile(const std::vector<std::int64_t>& dims) {
  return Shape::FromFile(dims);
}

TEST(Shape, CountsElementsAndWritesItself) {
  const Shape shape = {16384, 2048};
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape.dim(1), 2048);
  EXPECT_EQ(shape.ElementCount(), 16384 * 2048);
  EXPECT_EQ(shape.Write(), "[16384, 2048]");
}

TEST(Shape, ScalarHasOneElement) {
  EXPECT_EQ(Shape().ElementCount(), 1);
  EXPECT_EQ(Shape().Write(), "[]");
  EXPECT_EQ(FromFile({}), Shape());
}

TEST(Shape, RankIsPartOfEquality) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
}

TEST(Shape, FromFileRefusesWhatDoesNotFit) {
  EXPECT_TRUE(FromFile({1, 2, 3, 4}).has_value());
  EXPECT_FALSE(FromFile({1, 1, 1, 1, 1}).has_value());
  EXPECT_FALSE(FromFile({2, -1}).has_value());
  EXPECT_FALSE(FromFile({std::int64_t{1} << 32, std::int64_t{1} << 32}).has_value());
  EXPECT_TRUE(FromFile({kHuge}).has_value());
  EXPECT_EQ(FromFile({0, kHuge, kHuge})->ElementCount(), 0);
}

TEST(ShapeDeathTest, BadShapeInCodeEndsTheProcess) {
  EXPECT_DEATH((Shape{1, -1}), "none negative");
}

TEST(TensorView, ReadsThroughWhatAMutableViewWrote) {
  std::vector<std::byte> memory(12);
  const MutableTensorView writable{DType::kBF16, {2, 3}, memory.data()};
  writable.Set(4, 2.5);
  const TensorView view = writable;
  EXPECT_EQ(view.ByteCount(), 12);
  EXPECT_EQ(view.At(4), 2.5);
  EXPECT_EQ(view.At(3), 0.0);
}

}  // namespace
}  // namespace glint::tensor
