// SPDX-License-Identifier: Apache-2.0
// silu_mul: the middle of an MLP, silu(gate) * up (glm-architecture.md 2.8).
#pragma once

#include "base/result.h"
#include "kernels/activation.h"

namespace glint::kernels {

// y = gate / (1 + e^-gate) * up in F32. `out` gets y rounded once; `quantized` gets y, not its
// rounded form, as quantize_activation would. At least one of the two is given.
//
// One buffer gate_up [rows, 2 I] is two views of it: stride 2 I, up starting I elements later.
// `out` may be exactly the view `gate` or exactly `up`; nothing else may alias. Padding rows are
// computed like the others. No sums. Error: |y - exact| <= 8 * 2^-24 |exact| before the rounding.
// Moves, per element, the bytes of gate and up once and of each output once.
struct SiluMulArgs {
  Activation gate;                // [rows, I]
  Activation up;                  // [rows, I], dtype and stride of its own
  Activation out;                 // [rows, I]; data null: not written
  QuantizedActivation quantized;  // [rows, I]; quantized null: not written
};

// kInvalidArgument: a null pointer, no output, a shape, dtype, stride or group that does not fit,
// or shared memory.
Status CheckSiluMulArgs(const SiluMulArgs& args);

}  // namespace glint::kernels
