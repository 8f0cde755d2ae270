// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_cache/indexer_cache.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckIndexerCacheArgs(const IndexerCacheArgs& args) {
  OperationCheck check("indexer_cache");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("head_dim", args.head_dim);
  check.Rope(args.rope, args.head_dim);
  check.That(args.rope.interleaved, "rope is half-split, must be interleaved");
  check.Rows("q", args.q, args.tables.row_count, args.heads * args.head_dim);
  check.Rows("k", args.k, args.tables.row_count, args.head_dim);
  check.Vector("norm_weight", args.norm_weight, args.head_dim);
  check.Vector("norm_bias", args.norm_bias, args.head_dim);
  check.Epsilon(args.epsilon);
  check.Cache("cache", args.cache, args.tables, args.head_dim);
  return check.status();
}

}  // namespace glint::kernels
