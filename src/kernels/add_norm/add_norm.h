// SPDX-License-Identifier: Apache-2.0
// add_norm: what lies between two branches of a layer, in one pass: the branch's partial results
// of all ranks are summed, added to the residual stream, and the stream is normalised and
// quantised for the next branch. On one rank the sum has one term.
//
// Source: glm-architecture.md 2.1, 2.2; 2.16 for the norm of the branch (sandwich norms).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// Ranks that one sum can take: those of one host.
constexpr std::int64_t kMaxAddNormParts = 8;

// Per row, all in F32 (the reference in double):
//   b        = parts[0] + parts[1] + ...            in this order, which is rank order
//   b        = b * rsqrt(mean(b^2) + eps) * branch_norm_weight          if that is given
//   residual = residual + b                         rounded once, to residual's dtype
//   y        = residual * rsqrt(mean(residual^2) + eps) * weight        of the rounded residual
// `normed` gets y rounded once; `quantized` gets y, not its rounded form, as quantize_activation
// would. At least one of the two is given. With part_count 0 the residual is only read.
//
// Each mean is one sum over the columns in an order that depends on the number of columns only.
// A row's parts are all read before anything of it is written, but nothing may alias. Padding rows
// are computed like the others. Error of y before its rounding, against the exact norm of the
// stored residual: (columns + 8) * 2^-24 relative. Moves, per element, the bytes of each part
// once, of the residual once in and once out, of each output once; the weights once in all.
struct AddNormArgs {
  Activation residual;                             // [rows, columns], in and out
  const void* parts[kMaxAddNormParts] = {};        // part_count addresses of [rows, columns]
  std::int64_t part_count = 0;                     // 0 to kMaxAddNormParts
  tensor::DType part_dtype = tensor::DType::kF32;  // F32 or BF16, of all parts
  std::int64_t part_stride = 0;                    // elements from row to row, of all parts
  tensor::WeightView branch_norm_weight;           // [columns] F32, BF16 or F16; data null: none
  tensor::WeightView weight;                       // [columns] F32, BF16 or F16
  float eps = 1e-5F;                               // of both norms, > 0
  Activation normed;                               // [rows, columns]; data null: not written
  QuantizedActivation quantized;                   // [rows, columns]; quantized null: not written
};

// Part `index` as an activation.
Activation AddNormPart(const AddNormArgs& args, std::int64_t index);

// kInvalidArgument: a null pointer, no output, a branch norm without a branch, a count, eps, shape,
// dtype, stride or group that does not fit, or shared memory.
Status CheckAddNormArgs(const AddNormArgs& args);

}  // namespace glint::kernels
