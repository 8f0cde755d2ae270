// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {
namespace {

void CheckTables(OperationCheck& check, const BatchTables& tables) {
  check.That(tables.row_count >= 0, "row_count is {}, must be >= 0", tables.row_count);
  check.Present("row_sequence", tables.row_sequence, tables.row_count);
}

}  // namespace

Status CheckMlaAbsorbQueryArgs(const MlaAbsorbQueryArgs& args) {
  OperationCheck check("mla_absorb_query");
  CheckTables(check, args.tables);
  check.Positive("heads", args.heads);
  check.Positive("nope", args.nope);
  check.Positive("value", args.value);
  check.Positive("kv_lora", args.kv_lora);
  check.That(args.query_head_stride >= args.nope, "query_head_stride is {}, must be >= {}",
             args.query_head_stride, args.nope);
  const std::int64_t rows = args.tables.row_count;
  check.Rows("q", args.q, rows, (args.heads - 1) * args.query_head_stride + args.nope);
  check.Matrix("kv_b", args.kv_b, args.heads * (args.nope + args.value), args.kv_lora);
  check.Rows("q_latent", args.q_latent, rows, args.heads * args.kv_lora);
  return check.status();
}

Status CheckMlaExpandValueArgs(const MlaExpandValueArgs& args) {
  OperationCheck check("mla_expand_value");
  CheckTables(check, args.tables);
  check.Positive("heads", args.heads);
  check.Positive("nope", args.nope);
  check.Positive("value", args.value);
  check.Positive("kv_lora", args.kv_lora);
  const std::int64_t rows = args.tables.row_count;
  check.Rows("latent", args.latent, rows, args.heads * args.kv_lora);
  check.Matrix("kv_b", args.kv_b, args.heads * (args.nope + args.value), args.kv_lora);
  check.Rows("output", args.output, rows, args.heads * args.value);
  return check.status();
}

}  // namespace glint::kernels
