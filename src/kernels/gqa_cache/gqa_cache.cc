// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_cache/gqa_cache.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckGqaCacheArgs(const GqaCacheArgs& args) {
  OperationCheck check("gqa_cache");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("kv_heads", args.kv_heads);
  check.Positive("head_dim", args.head_dim);
  check.That(args.kv_heads > 0 && args.heads % args.kv_heads == 0,
             "kv_heads is {}, must divide heads, {}", args.kv_heads, args.heads);
  check.Rope(args.rope, args.head_dim);
  const std::int64_t rows = args.tables.row_count;
  const std::int64_t width = args.kv_heads * args.head_dim;
  check.Rows("q", args.q, rows, args.heads * args.head_dim);
  check.Rows("k", args.k, rows, width);
  check.Rows("v", args.v, rows, width);
  if (args.q_norm.data.data != nullptr) check.Vector("q_norm", args.q_norm, args.head_dim);
  if (args.k_norm.data.data != nullptr) check.Vector("k_norm", args.k_norm, args.head_dim);
  check.Epsilon(args.epsilon);
  check.Cache("k_cache", args.k_cache, args.tables, width);
  check.Cache("v_cache", args.v_cache, args.tables, width);
  return check.status();
}

}  // namespace glint::kernels
