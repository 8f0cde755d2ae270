// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention over cached keys and values: one operation for prefill and decode.
//
// Source: arXiv:2305.13245; glm-architecture.md 2.15.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"

namespace glint::kernels {

// For a row at `position` of its sequence and query head h, with g = h / (heads / kv_heads):
//   s[t]         = (q[h] . k[t, g]) * scale,   t in 0 ... position
//   output[h, :] = sum over t, ascending, of softmax(s)[t] v[t, g]
// The caches hold these positions (gqa_cache of this step ran before, so a row sees the rows of
// its own chunk). Products, softmax and sums are at least fp32; the output is rounded once. The
// sum over t is ascending; an implementation may split it at fixed logical positions, never by row
// count, chunk or thread. Bytes moved per row: position + 1 tokens of both caches, each key head
// once for its query heads.
struct GqaAttentionArgs {
  BatchTables tables;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // divides heads
  std::int64_t head_dim = 0;
  Activation q;       // [row_count, heads * head_dim], rotated
  CacheView k_cache;  // width kv_heads * head_dim, F32 or BF16
  CacheView v_cache;  // likewise
  float scale = 0;    // head_dim^-1/2
  Activation output;  // [row_count, heads * head_dim]; may be q, row on row
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckGqaAttentionArgs(const GqaAttentionArgs& args);

}  // namespace glint::kernels
