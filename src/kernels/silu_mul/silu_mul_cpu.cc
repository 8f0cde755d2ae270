// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_vector.h"
#include "kernels/silu_mul/silu_mul_math.h"
#include "kernels/silu_mul/silu_mul_rows.h"

namespace glint::kernels::GLINT_ISA {

// The arithmetic is that of silu_mul_math.h, whose operations each round once: the compiler's
// vectors give the same bits as one element at a time.
void RunSiluMulRows(const SiluMulRows* args) {
  for (int64_t row = 0; row < args->rows; ++row) {
    const float* gate = args->gate + row * args->gate_stride;
    const float* up = args->up + row * args->up_stride;
    float* out = args->out + row * args->out_stride;
#pragma GCC ivdep
    for (int64_t i = 0; i < args->columns; ++i) out[i] = SiluMulMath(gate[i], up[i]);
  }
}

}  // namespace glint::kernels::GLINT_ISA
