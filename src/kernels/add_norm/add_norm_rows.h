// SPDX-License-Identifier: Apache-2.0
// A piece of add_norm on the CPU: some rows of F32.
#pragma once

#include <cstdint>

#include "kernels/isa.h"
#include "tensor/dtype.h"

namespace glint::kernels {

// AddNormArgs of add_norm.h with plain vectors (F32, BF16 or F16) and addresses of the first row;
// strides in elements. `branch_norm` null: none.
struct AddNormRows {
  float* residual = nullptr;
  std::int64_t residual_stride = 0;
  const float* parts[8] = {};
  std::int64_t part_count = 0;
  std::int64_t part_stride = 0;
  const void* branch_norm = nullptr;
  tensor::DType branch_norm_dtype = tensor::DType::kF32;
  const void* weight = nullptr;
  tensor::DType weight_dtype = tensor::DType::kF32;
  float eps = 0;
  float* normed = nullptr;
  std::int64_t normed_stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

GLINT_ISA_ENTRY(RunAddNormRows, AddNormRows)

}  // namespace glint::kernels
