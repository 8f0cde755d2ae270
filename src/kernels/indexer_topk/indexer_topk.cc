// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_topk/indexer_topk.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

std::int64_t IndexerTopkScratchBytes(std::int64_t rows_in_flight, std::int64_t top_k) {
  constexpr std::int64_t kCandidateBytes = sizeof(float) + sizeof(std::int32_t);
  return rows_in_flight * (top_k + kIndexerTopkBlock) * kCandidateBytes;
}

Status CheckIndexerTopkArgs(const IndexerTopkArgs& args) {
  OperationCheck check("indexer_topk");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("head_dim", args.head_dim);
  check.Positive("top_k", args.selection.top_k);
  const std::int64_t rows = args.tables.row_count;
  check.Rows("q", args.q, rows, args.heads * args.head_dim);
  check.Rows("head_weights", args.head_weights, rows, args.heads);
  check.That(args.head_weights.dtype == tensor::DType::kF32, "head_weights is {}, must be F32",
             tensor::DTypeName(args.head_weights.dtype));
  check.Cache("cache", args.cache, args.tables, args.head_dim);
  check.Present("selection", args.selection.positions, rows);
  check.Present("scratch", args.scratch, rows);
  const std::int64_t least = IndexerTopkScratchBytes(1, args.selection.top_k);
  check.That(rows == 0 || args.scratch_bytes >= least, "scratch_bytes is {}, must be >= {}",
             args.scratch_bytes, least);
  return check.status();
}

}  // namespace glint::kernels
