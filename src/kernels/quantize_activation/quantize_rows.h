// SPDX-License-Identifier: Apache-2.0
// A piece of quantize_activation on the CPU: some rows of F32 to I8. moe is made of the same
// pieces, with rows that lie apart.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace glint::kernels {

// Row r of x (`x_stride` elements apart) to row r of q, scales and sums, which are contiguous.
// columns is a multiple of group, group of 8.
struct QuantizeRows {
  const float* x = nullptr;
  std::int64_t x_stride = 0;
  std::int8_t* q = nullptr;
  float* scales = nullptr;
  float* sums = nullptr;  // null: none
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t group = 0;
};

GLINT_ISA_ENTRY(RunQuantizeRows, QuantizeRows)

}  // namespace glint::kernels
