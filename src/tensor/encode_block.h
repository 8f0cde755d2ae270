// SPDX-License-Identifier: Apache-2.0
// Numbers to blocks, each rounded to the nearest code: the plain way, without a search for scales
// that lose less. For weights that are quantised while a model is loaded.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tensor/weight_view.h"

namespace glint::tensor {

// The formats that EncodeBlock writes by their names: q8_0, q4_0, q4_k, q6_k, mxfp4. nullopt for
// another name.
std::optional<WeightFormat> ParseBlockFormat(std::string_view name);

// One block of `values`, as many as block_format.h says, all finite. The error of a value is at
// most half a step of its block (a whole one where codes end unevenly, the outermost of Q4_0 and
// Q6_K), and what rounding the scale itself costs: a step is
//   Q8_0   largest / 127          Q4_0   largest / 8
//   Q4_K   range of 32 / 15       Q6_K   largest of 16 / 32      (both: scales rounded to 1/63,
//   1/127
//                                                                  of the block's largest)
//   MXFP4  2^e, 2^e, 2^(e+1) ... with the largest value at or below 6 * 2^e
void EncodeBlock(WeightFormat format, const float* values, std::byte* block);

}  // namespace glint::tensor
