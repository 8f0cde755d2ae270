// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_attention/mla_attention.h"

#include <cmath>

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

float MlaSoftmaxScale(std::int64_t nope, std::int64_t rope) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(nope + rope)));
}

Status CheckMlaAttentionArgs(const MlaAttentionArgs& args) {
  OperationCheck check("mla_attention");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("kv_lora", args.kv_lora);
  check.Positive("rope_width", args.rope_width);
  check.That(args.rope_head_stride >= args.rope_width, "rope_head_stride is {}, must be >= {}",
             args.rope_head_stride, args.rope_width);
  check.Scale(args.scale);
  const std::int64_t rows = args.tables.row_count;
  check.Rows("q_latent", args.q_latent, rows, args.heads * args.kv_lora);
  check.Rows("q_rope", args.q_rope, rows,
             (args.heads - 1) * args.rope_head_stride + args.rope_width);
  check.Cache("cache", args.cache, args.tables, args.kv_lora + args.rope_width);
  if (args.selection.positions != nullptr) check.Positive("top_k", args.selection.top_k);
  check.Rows("output", args.output, rows, args.heads * args.kv_lora);
  return check.status();
}

}  // namespace glint::kernels
