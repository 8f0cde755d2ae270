// SPDX-License-Identifier: Apache-2.0
// A piece of silu_mul on the CPU: some rows of F32. moe is made of the same pieces.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace glint::kernels {

// out = silu(gate) * up for each of `rows` x `columns`; strides in elements. `out` may be exactly
// `gate` or exactly `up`.
struct SiluMulRows {
  const float* gate = nullptr;
  const float* up = nullptr;
  float* out = nullptr;
  std::int64_t gate_stride = 0;
  std::int64_t up_stride = 0;
  std::int64_t out_stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

GLINT_ISA_ENTRY(RunSiluMulRows, SiluMulRows)

}  // namespace glint::kernels
