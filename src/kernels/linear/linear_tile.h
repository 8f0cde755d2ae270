// SPDX-License-Identifier: Apache-2.0
// A piece of a linear on the CPU: some rows of the input with some rows of a plain weight. moe is
// made of the same pieces, with rows that lie apart.
#pragma once

#include <cstdint>

#include "kernels/isa.h"
#include "tensor/dtype.h"

namespace glint::kernels {

// For r in [0, rows), n in [0, outputs):
//   out[out_row(r), n] = sum over k of x[x_row(r), k] * weight[n, k], plus bias[n]
// The bits of an output element depend on its row of x, its row of the weight and `columns` only.
struct LinearTile {
  const float* x = nullptr;
  std::int64_t x_stride = 0;                         // elements
  const std::int32_t* x_rows = nullptr;              // [rows]; null: 0, 1, 2, ...
  const void* weight = nullptr;                      // [outputs, columns]: the first output's row
  tensor::DType weight_dtype = tensor::DType::kF32;  // F32, BF16 or F16
  const void* bias = nullptr;                        // [outputs]; null: none
  tensor::DType bias_dtype = tensor::DType::kF32;
  float* out = nullptr;                    // the first output's column
  std::int64_t out_stride = 0;             // elements
  const std::int32_t* out_rows = nullptr;  // [rows]; null: 0, 1, 2, ...
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t outputs = 0;
};

GLINT_ISA_ENTRY(RunLinearTile, LinearTile)

// Outputs that one piece should take, for weight rows of `row_bytes`: enough weights that handing
// it to a thread costs little, and with many rows enough that x is read from memory seldom. A
// multiple of 24, which every tile's outputs divide.
std::int64_t LinearTileOutputs(std::int64_t rows, std::int64_t row_bytes);

}  // namespace glint::kernels
