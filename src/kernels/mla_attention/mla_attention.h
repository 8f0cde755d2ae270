// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention over the cached latents, absorbed form: one operation for prefill
// and decode, over all earlier tokens or over those that the indexer selected.
//
// Source: glm-architecture.md 2.5, 2.6; section 6.1 rows 13 and 20.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"

namespace glint::kernels {

// (nope + rope)^-1/2: that of a head of the naive form, never of the width that is cached
// (576 in GLM-5). Both > 0.
float MlaSoftmaxScale(std::int64_t nope, std::int64_t rope);

// For a row at `position` of its sequence, with S the positions it attends to:
//   s[h, t]      = (q_latent[h] . c[t] + q_rope[h] . k_pe[t]) * scale,   t in S
//   p[h, :]      = softmax of s[h, :] over S
//   output[h, :] = sum over t in S, ascending, of p[h, t] c[t]
// S = {0 ... position} when selection.positions is null; else the row's selected positions that
// are in [0, position], entry by entry: -1 and later positions are masked. The caches hold every
// position of S (mla_cache of this step ran before, so a row sees the rows of its own chunk). With
// S empty the output is 0.
//
// Products, softmax and sums are at least fp32; the output is rounded once. The sum over t is
// ascending; an implementation may split it at fixed entries of S (for the dense form: fixed
// logical positions), never by row count, chunk or thread. So a selection of all positions gives
// the bits of the dense form. Bytes moved per row: |S| tokens of the cache, once for all heads.
struct MlaAttentionArgs {
  BatchTables tables;
  std::int64_t heads = 0;
  std::int64_t kv_lora = 0;
  std::int64_t rope_width = 0;
  Activation q_latent;  // [row_count, heads * kv_lora], of mla_absorb_query
  Activation q_rope;    // [row_count, (heads - 1) * rope_head_stride + rope_width], rotated: head
                        // h's elements begin at column h * rope_head_stride. To view it inside
                        // q of mla_cache: data at column nope, stride of q
  std::int64_t rope_head_stride = 0;  // >= rope_width
  CacheView cache;                    // width kv_lora + rope_width, F32 or BF16: c then k_pe
  float scale = 0;
  SelectionView selection;  // [row_count, top_k], or positions null: dense
  Activation output;        // [row_count, heads * kv_lora]; may be q_latent, row on row
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckMlaAttentionArgs(const MlaAttentionArgs& args);

}  // namespace glint::kernels
