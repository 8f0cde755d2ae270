// SPDX-License-Identifier: Apache-2.0
// quantize_activation: rows of numbers to 8 bits with one scale per group of columns.
//
// The composed form of what add_norm and silu_mul do in one pass. Source of the scheme:
// glm-architecture.md 2.11 (E4M3 per 128); the same with 127 levels for I8.
#pragma once

#include "base/result.h"
#include "kernels/activation.h"

namespace glint::kernels {

// For each row and group of out.group columns: scale = max|x| / 127 (I8) or / 448 (E4M3), and
// q = x / scale to nearest, ties to even; x in F32, exactly as quantize_activation_math.h has it,
// so the result is the same bits on every device. A group with no magnitude of 2^-100 or more has
// scale 0 and q 0. A group that holds a NaN or an infinity has scale NaN, so that it shows.
//
// out.sums, if there is room for it: scale * sum, in F32.
//
// Padding rows are computed like the others. Nothing may alias. Moves, per element, the
// bytes of x once and 1 byte + 4 / group of out.
struct QuantizeActivationArgs {
  Activation x;             // [rows, columns]
  QuantizedActivation out;  // [rows, columns]
};

// kInvalidArgument: a null pointer, a shape, dtype, stride or group that does not fit, or shared
// memory.
Status CheckQuantizeActivationArgs(const QuantizeActivationArgs& args);

}  // namespace glint::kernels
