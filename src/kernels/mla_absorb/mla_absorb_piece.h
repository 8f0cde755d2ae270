// SPDX-License-Identifier: Apache-2.0
// One head and a tile of rows of mla_absorb's two operations: the plain arguments of their CPU
// kernels.
#pragma once

#include <stdint.h>

#include "kernels/isa.h"

namespace glint::kernels {

constexpr int64_t kAbsorbTileRows = 32;  // most rows of a piece

struct MlaAbsorbPiece {
  const int32_t* row_sequence;  // [row_count]; a row below 0 is skipped
  int64_t first_row;
  int64_t row_count;    // <= kAbsorbTileRows
  const void* weights;  // [weight_rows, kv_lora]: UK[h] or UV[h]
  bool bf16;            // else F32
  int64_t weight_rows;
  int64_t kv_lora;
  const float* input;  // the head's elements in row 0
  int64_t input_stride;
  float* output;
  int64_t output_stride;
};

GLINT_ISA_ENTRY(MlaAbsorbQueryHead, MlaAbsorbPiece)  // [weight_rows] to [kv_lora]
GLINT_ISA_ENTRY(MlaExpandValueHead, MlaAbsorbPiece)  // [kv_lora] to [weight_rows]

}  // namespace glint::kernels
