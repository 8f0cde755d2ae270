// SPDX-License-Identifier: Apache-2.0
// The frequencies of the rotary embedding. The rotation itself is part of the operations that
// write a cache (mla_cache, indexer_cache, gqa_cache); its arithmetic is rope_math.h.
#pragma once

#include <cstdint>

namespace glint::kernels {

// out[j] = 1 / theta^(2j / width) for j < width / 2: the exponent a float quotient, the power
// rounded to float, then a float quotient, as transformers forms it. theta > 0; width even, > 0;
// out [width / 2]. Source: glm-architecture.md 2.3.
void FillInverseFrequency(float theta, std::int64_t width, float* out);

}  // namespace glint::kernels
