// SPDX-License-Identifier: Apache-2.0
// The last piece of moe on the CPU: the weighted sum of each row's experts.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace glint::kernels {

// For each row: out = sum over slots, ascending from 0, of weights[slot] * parts[slot], plus the
// addend; all F32, one order. A slot whose id is -1 is skipped. Strides in elements.
struct MoeCombine {
  const float* parts = nullptr;       // [rows, top_k, columns]
  const std::int32_t* ids = nullptr;  // [rows, top_k]
  const float* weights = nullptr;     // [rows, top_k]
  std::int64_t top_k = 0;
  const float* addend = nullptr;  // null: none; may be `out`
  std::int64_t addend_stride = 0;
  float* out = nullptr;
  std::int64_t out_stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

GLINT_ISA_ENTRY(RunMoeCombine, MoeCombine)

}  // namespace glint::kernels
