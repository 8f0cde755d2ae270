// SPDX-License-Identifier: Apache-2.0
// Precision is per tensor: how one weight matrix is stored, read off its own tensors in the
// checkpoint (dtype, shape, names of its scales), never off the model's name or its config.
//
// The numbers are not copied or converted: a view of the file is returned. Schemes and bit orders
// are those of glm-architecture.md, section 4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/checkpoint.h"
#include "tensor/weight_view.h"

namespace glint::tensor {

struct StoredWeight {
  WeightView view;  // points into the checkpoint; may be unaligned
  // All tensors of the checkpoint that belong to this weight: the numbers, then the scales (not for
  // kPlain), then what a weight-only reader does not need (input_scale, weight_shape). For "each
  // tensor is used once".
  std::vector<std::string> tensors;
};

// The weight `base` ("model.layers.0.self_attn.q_a_proj"), whose values must have the shape
// `expected`: [out, in], or [n] for a vector, which is stored plainly as base + ".weight". Checks
// shapes and types, not the values of scales.
//   plain         weight F32, F16 or BF16
//   fp8 block     weight F8_E4M3, and weight_scale_inv or weight_scale F32 / BF16
//                 [ceil(out/128), ceil(in/128)]
//   fp8 channel   weight F8_E4M3, and the same names, [out, 1] or [out]
//   int8 channel  weight I8, weight_scale F32 / BF16 [out, 1] or [out]
//   int4 group    weight_packed I32 [out, in/8], weight_scale F32 / BF16 [out, in/g], g 32, 64 or
//                 128; weight_shape, when there is one, says [out, in]
//   mxfp4         weight_packed or weight U8 [out, in/2], weight_scale U8 / F8_E8M0 [out, in/32]
// kNotFound when there is no such weight or its scale is missing; kDataLoss when a shape differs
// from the expected one; kInvalidArgument when the scheme is known but cannot be read yet (GPTQ,
// AWQ, NVFP4, MXFP8, W4AFP8, Ascend, zero points, g_idx), or is unknown. Each message names the
// tensor.
Result<StoredWeight> FindStoredWeight(const Checkpoint& checkpoint, std::string_view base,
                                      Shape expected);

// The tensor `name` in its full name, for what is stored plainly on its own (a bias, a fused
// parameter): F32, F16 or BF16 and of shape `expected`. Errors as above.
Result<TensorView> FindPlainTensor(const Checkpoint& checkpoint, std::string_view name,
                                   Shape expected);

// Reads all scales: each must be finite and > 0 (E8M0: not 255, which is NaN). kDataLoss names the
// scale tensor and the first bad element; `where` (a file, a model) starts the message. Touches the
// pages of the scales only.
Status CheckScales(const StoredWeight& weight, std::string_view where);

}  // namespace glint::tensor
