// SPDX-License-Identifier: Apache-2.0
// The lightning indexer: scores every earlier token of a row's sequence and selects the best
// top_k, which mla_attention of this layer and of the layers that share it then attends to.
//
// Source: glm-architecture.md 2.6, 2.7; arXiv:2512.02556, section 2.1.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"

namespace glint::kernels {

// Logical positions that are scored before the running selection takes them in.
inline constexpr std::int64_t kIndexerTopkBlock = 1024;

// Scratch for `rows_in_flight` rows at a time: per row a float score and an int32 position for
// each of top_k kept and kIndexerTopkBlock new candidates. It does not grow with the context.
std::int64_t IndexerTopkScratchBytes(std::int64_t rows_in_flight, std::int64_t top_k);

// For a row at `position` of its sequence:
//   w[h]  = head_weights[row, h] * heads^-1/2                                       fp32
//   I[t]  = sum over h, ascending, of w[h] * relu(head_dim^-1/2 * (q[h] . k[t]))    t in 0 ...
//   position selection[row, :] = the min(top_k, position + 1) positions with the largest I,
//   ascending, then
//                       -1 up to top_k
// relu comes before the weight, which may be negative. Equal scores: the lower position. A score
// that is NaN counts as the lowest. While position < top_k all positions are selected, and nothing
// is scored, so the bits of q, weights and cache do not matter.
//
// Products and sums are at least fp32 (never bf16: it flips near ties). The order of the sums over
// head_dim and heads is fixed by these two sizes; a score does not depend on blocks, row count or
// chunk, so the selection does not either. The cache holds positions 0 ... position (indexer_cache
// of this step ran before). Bytes moved per scored row: position + 1 tokens of the cache.
struct IndexerTopkArgs {
  BatchTables tables;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  Activation q;                    // [row_count, heads * head_dim], rotated
  Activation head_weights;         // [row_count, heads] F32: weights_proj x, no constant applied
  CacheView cache;                 // width head_dim, F32 or BF16
  SelectionView selection;         // [row_count, top_k]; written, but for padding rows
  void* scratch = nullptr;         // aligned to 64 bytes
  std::int64_t scratch_bytes = 0;  // >= IndexerTopkScratchBytes(1, top_k); more runs more rows at
                                   // once and changes no result
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckIndexerTopkArgs(const IndexerTopkArgs& args);

}  // namespace glint::kernels
