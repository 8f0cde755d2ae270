// SPDX-License-Identifier: Apache-2.0
// What the host sides of the CPU kernels share: how work is cut, and how they say what they leave
// to the reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"
#include "kernels/activation.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

inline std::int64_t PieceCount(std::int64_t all, std::int64_t piece) {
  return (all + piece - 1) / piece;
}
inline std::int64_t RoundUp(std::int64_t value, std::int64_t step) {
  return PieceCount(value, step) * step;
}

// Rows for one piece of an operation that does little per element: about 64 KiB of F32.
inline std::int64_t RowsOfPiece(std::int64_t columns) {
  return PieceCount(std::int64_t{16} * 1024, columns);
}

// The address of a row of an F32 activation.
inline float* RowAt(const Activation& view, std::int64_t row) {
  return static_cast<float*>(view.data) + row * view.stride;
}

inline std::string CpuFallback(std::string_view operation, std::string_view what) {
  return format("{}: no CPU kernel for {}, reference", operation, what);
}

// Empty unless an activation that is given is not F32.
template <typename... Activations>
std::string CpuFallbackOf(std::string_view operation, const Activation& first,
                          const Activations&... others) {
  if (first.data != nullptr && first.dtype != tensor::DType::kF32) {
    return CpuFallback(operation, format("{} activations", tensor::DTypeName(first.dtype)));
  }
  if constexpr (sizeof...(others) > 0) {
    return CpuFallbackOf(operation, others...);
  } else {
    return "";
  }
}

// Empty unless the weight is quantised.
inline std::string CpuFallbackOf(std::string_view operation, const tensor::WeightView& weight) {
  if (weight.format == tensor::WeightFormat::kPlain) return "";
  return CpuFallback(operation, format("{} weights", tensor::WeightFormatName(weight.format)));
}

}  // namespace glint::kernels
