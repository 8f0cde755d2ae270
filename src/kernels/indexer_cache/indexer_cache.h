// SPDX-License-Identifier: Apache-2.0
// The indexer of sparse attention, what is cached: rotates its queries in place and writes each
// row's normalised, rotated key to its page. Runs for every token, also while the selection is
// trivially "all": a later token will score this one.
//
// Source: glm-architecture.md 2.6.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// A head is [rope | rest]: the rope part comes FIRST, the other way round than in mla_cache.
//   k = (k - mean(k)) / sqrt(variance(k) + epsilon) * weight + bias, variance over head_dim
//   the first rope.width elements of each query head and of k are rotated
// Statistics, weight, bias and rotation are at least fp32; a value is rounded once, when it is
// stored. rope must be interleaved: GLM's indexer is, and half-split pairs select wrong tokens
// only beyond top_k of them, where no short test looks (glm-architecture.md 6.1).
//
// No two rows may have the same sequence and position. Order of the sums: ascending, or one fixed
// by head_dim alone. Bytes moved per row: heads * rope.width elements of q read and written,
// head_dim of k read and head_dim of the cache written.
struct IndexerCacheArgs {
  BatchTables tables;
  RopeView rope;  // interleaved, width <= head_dim
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  Activation q;                    // [row_count, heads * head_dim], rotated in place
  Activation k;                    // [row_count, head_dim]; read; does not overlap q
  tensor::WeightView norm_weight;  // plain [head_dim, 1]
  tensor::WeightView norm_bias;    // plain [head_dim, 1]
  float epsilon = 1e-6F;
  CacheView cache;  // width head_dim, F32 or BF16
};

// kInvalidArgument, naming the argument, when sizes do not fit or rope is half-split.
Status CheckIndexerCacheArgs(const IndexerCacheArgs& args);

}  // namespace glint::kernels
