// SPDX-License-Identifier: Apache-2.0
// A shape, and a typed window onto memory that somebody else owns. Row-major and contiguous:
// anything else is spelled out by the operation that needs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "tensor/dtype.h"

namespace glint::tensor {

// Up to four dimensions, slowest first. A rank-0 shape is a scalar.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims);  // NOLINT(google-explicit-constructor): {2, 3}

  // nullopt when there are more than kMaxRank dimensions, one is negative, or the number of
  // elements does not fit 63 bits: for shapes that come from a file.
  static std::optional<Shape> FromFile(std::span<const std::int64_t> dims);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] std::int64_t dim(int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::int64_t ElementCount() const;
  [[nodiscard]] std::string Write() const;  // "[16384, 2048]"
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// Valid as long as the memory behind it.
struct TensorView {
  DType dtype = DType::kF32;
  Shape shape;
  const std::byte* data = nullptr;

  [[nodiscard]] std::int64_t ByteCount() const { return shape.ElementCount() * DTypeBytes(dtype); }
  [[nodiscard]] double At(std::int64_t index) const { return LoadElement(dtype, data, index); }
};

struct MutableTensorView {
  DType dtype = DType::kF32;
  Shape shape;
  std::byte* data = nullptr;

  // NOLINTNEXTLINE(google-explicit-constructor): a view of more rights is a view of fewer
  operator TensorView() const { return {dtype, shape, data}; }
  [[nodiscard]] double At(std::int64_t index) const { return LoadElement(dtype, data, index); }
  void Set(std::int64_t index, double value) const { StoreElement(dtype, data, index, value); }
};

}  // namespace glint::tensor
