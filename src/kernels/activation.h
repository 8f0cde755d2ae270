// SPDX-License-Identifier: Apache-2.0
// What kernels read and write between weights: rows of numbers, plain or quantised to 8 bits.
// Plain structs of pointers and integers, so that they cross into ISA builds and GPU kernels.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace glint::kernels {

// [rows, columns], rows `stride` elements apart (>= columns), columns contiguous. F32 or BF16.
struct Activation {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kF32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
};

// Rows quantised symmetrically: value = q * scale of its group. `quantized` is I8 in [-127, 127]
// or E4M3; rows contiguous. scales F32 [rows, columns / group], group a divisor of columns; a
// group of zeros has scale 0. Scales: largest magnitude / 127 (I8) or / 448 (E4M3). sums, where it
// is not null, F32 [rows, columns / group]: scale * (sum of the group's q), for weights whose codes
// have an offset or a minimum.
struct QuantizedActivation {
  void* quantized = nullptr;
  float* scales = nullptr;
  tensor::DType dtype = tensor::DType::kI8;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t group = 0;
  float* sums = nullptr;
};

}  // namespace glint::kernels
