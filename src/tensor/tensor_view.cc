// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/format.h"

namespace glint::tensor {

Shape::Shape(std::initializer_list<std::int64_t> dims) {
  const std::optional<Shape> made = FromFile({dims.begin(), dims.size()});
  GLINT_CHECK(made.has_value(), "shape of at most four dimensions, none negative");
  *this = *made;
}

std::optional<Shape> Shape::FromFile(std::span<const std::int64_t> dims) {
  if (dims.size() > kMaxRank || !CheckedProduct(dims)) return std::nullopt;
  Shape shape;
  std::copy(dims.begin(), dims.end(), shape.dims_.begin());
  shape.rank_ = static_cast<int>(dims.size());
  return shape;
}

std::int64_t Shape::ElementCount() const {
  std::int64_t count = 1;
  for (int axis = 0; axis < rank_; ++axis) count *= dim(axis);
  return count;
}

std::string Shape::Write() const {
  return format("[{}]", fmt::join(dims_.begin(), dims_.begin() + rank_, ", "));
}

}  // namespace glint::tensor
