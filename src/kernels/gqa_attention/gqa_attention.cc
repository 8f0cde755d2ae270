// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_attention/gqa_attention.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckGqaAttentionArgs(const GqaAttentionArgs& args) {
  OperationCheck check("gqa_attention");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("kv_heads", args.kv_heads);
  check.Positive("head_dim", args.head_dim);
  check.That(args.kv_heads > 0 && args.heads % args.kv_heads == 0,
             "kv_heads is {}, must divide heads, {}", args.kv_heads, args.heads);
  check.Scale(args.scale);
  const std::int64_t rows = args.tables.row_count;
  check.Rows("q", args.q, rows, args.heads * args.head_dim);
  check.Cache("k_cache", args.k_cache, args.tables, args.kv_heads * args.head_dim);
  check.Cache("v_cache", args.v_cache, args.tables, args.kv_heads * args.head_dim);
  check.Rows("output", args.output, rows, args.heads * args.head_dim);
  return check.status();
}

}  // namespace glint::kernels
