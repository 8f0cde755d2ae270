// SPDX-License-Identifier: Apache-2.0
// A piece of embedding on the CPU: some rows, from a plain table to F32.
#pragma once

#include <cstdint>

#include "kernels/isa.h"
#include "tensor/dtype.h"

namespace glint::kernels {

// EmbeddingArgs of embedding.h with addresses of the first row; `stride` in elements.
struct EmbeddingRows {
  const std::int32_t* row_sequence = nullptr;  // null: no row is padding
  const std::int32_t* tokens = nullptr;
  const std::int32_t* samples = nullptr;
  const void* table = nullptr;
  tensor::DType table_dtype = tensor::DType::kF32;  // F32, BF16 or F16
  float* out = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

GLINT_ISA_ENTRY(RunEmbeddingRows, EmbeddingRows)

}  // namespace glint::kernels
