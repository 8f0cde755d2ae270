// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention, what is cached: normalises and rotates queries in place, and writes
// each row's normalised, rotated keys and its values to their pages.
//
// Source: glm-architecture.md 2.15 (glm4_moe), 2.16 (glm4).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// Per head x of q and of k: x = x * weight / sqrt(mean(x^2) + epsilon) where a norm is given,
// then the first rope.width elements are rotated, the others kept. v is stored as it is. At least
// fp32 between; a value is rounded once, when it is stored.
//
// No two rows may have the same sequence and position. Order of the sum of squares: ascending, or
// one fixed by head_dim alone. Bytes moved per row: q read and written, k and v read, as many
// elements of the caches written.
struct GqaCacheArgs {
  BatchTables tables;
  RopeView rope;  // width <= head_dim
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // divides heads
  std::int64_t head_dim = 0;
  Activation q;  // [row_count, heads * head_dim], in place
  Activation k;  // [row_count, kv_heads * head_dim]; read
  Activation v;  // [row_count, kv_heads * head_dim]; read; q, k, v may be columns of one buffer
  tensor::WeightView q_norm;  // plain [head_dim, 1], or data null: no norm
  tensor::WeightView k_norm;  // likewise
  float epsilon = 1e-5F;
  CacheView k_cache;  // width kv_heads * head_dim, F32 or BF16
  CacheView v_cache;  // likewise
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckGqaCacheArgs(const GqaCacheArgs& args);

}  // namespace glint::kernels
