// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_cache/mla_cache.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckMlaCacheArgs(const MlaCacheArgs& args) {
  OperationCheck check("mla_cache");
  check.Tables(args.tables);
  check.Positive("heads", args.heads);
  check.Positive("kv_lora", args.kv_lora);
  check.That(args.nope >= 0, "nope is {}, must be >= 0", args.nope);
  check.Rope(args.rope, args.cache.width);
  const std::int64_t rows = args.tables.row_count;
  const std::int64_t width = args.kv_lora + args.rope.width;
  check.Rows("q", args.q, rows, args.heads * (args.nope + args.rope.width));
  check.Rows("kv_a", args.kv_a, rows, width);
  check.Vector("norm_weight", args.norm_weight, args.kv_lora);
  check.Epsilon(args.epsilon);
  check.Cache("cache", args.cache, args.tables, width);
  return check.status();
}

}  // namespace glint::kernels
