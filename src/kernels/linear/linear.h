// SPDX-License-Identifier: Apache-2.0
// linear: rows times a weight matrix, in every format that weights are stored in. Projections,
// router, indexer weights and lm_head all come here; a shard of a matrix is a view of its own.
#pragma once

#include "base/result.h"
#include "kernels/activation.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// out[r, n] = sum over k of x[r, k] * weight[n, k], plus bias[n], rounded once to out's dtype. out
// is written, never added to. Any input goes with any weight format.
//
// Accumulation in F32. Stored weight numbers enter exactly and are not rounded to another type;
// where columns share a scale the products of that stretch are summed first (in integers for I8
// inputs with integer weights) and the scales of weight and input multiply the partial sum. The
// order of an output element's sum depends on K, N, format and dtypes, never on the number of rows
// or on the row. Error before the rounding: (K + 4) * 2^-24 * (sum of |x * w| + |bias|).
//
// Nothing may alias. Padding rows are computed like the others. Moves WeightBytes(weight) once per
// tile of rows (once in all for up to 8 rows), the bytes of x, and of out once. 2 rows N K FLOPs.
struct LinearArgs {
  Activation x;                     // [rows, K]; exactly one of x and quantized_x is given
  QuantizedActivation quantized_x;  // [rows, K]; its group and the weight's: CheckGroupsFit
  tensor::WeightView weight;        // [N, K]
  tensor::WeightView bias;          // [N] F32, BF16 or F16; data null: none
  Activation out;                   // [rows, N]
};

// kInvalidArgument: a null pointer, no input or two, a shape, dtype, stride or group that does not
// fit, or shared memory.
Status CheckLinearArgs(const LinearArgs& args);

}  // namespace glint::kernels
