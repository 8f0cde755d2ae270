// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {
namespace {

void CheckTables(OperationCheck& check, const BatchTables& tables) {
  check.That(tables.row_count >= 0, "row_count is {}, must be >= 0", tables.row_count);
  check.Present("row_sequence", tables.row_sequence, tables.row_count);
}

// The quantised input of a half of kv_b: `head_columns` of each head from a multiple of
// `head_stride` on, whole groups each.
void CheckHalf(OperationCheck& check, const QuantizedActivation& input, std::int64_t rows,
               std::int64_t columns, std::int64_t head_columns, std::int64_t head_stride) {
  check.Present("the quantised input", input.quantized, rows);
  check.Present("its scales", input.scales, rows);
  check.That(input.rows == rows && input.columns == columns,
             "the quantised input is [{}, {}], must be [{}, {}]", input.rows, input.columns, rows,
             columns);
  check.Positive("group", input.group);
  if (input.group > 0) {
    check.That(head_columns % input.group == 0 && head_stride % input.group == 0,
               "a head of {} columns every {} does not fit groups of {}", head_columns, head_stride,
               input.group);
  }
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
  const std::int64_t columns = (args.heads - 1) * args.query_head_stride + args.nope;
  if (args.k_b.data.data != nullptr) {
    CheckHalf(check, args.quantized_q, rows, columns, args.nope, args.query_head_stride);
    check.Matrix("k_b", args.k_b, args.heads * args.kv_lora, args.nope);
  } else {
    check.Rows("q", args.q, rows, columns);
    check.Matrix("kv_b", args.kv_b, args.heads * (args.nope + args.value), args.kv_lora);
  }
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
  if (args.v_b.data.data != nullptr) {
    CheckHalf(check, args.quantized_latent, rows, args.heads * args.kv_lora, args.kv_lora,
              args.kv_lora);
    check.Matrix("v_b", args.v_b, args.heads * args.value, args.kv_lora);
  } else {
    check.Rows("latent", args.latent, rows, args.heads * args.kv_lora);
    check.Matrix("kv_b", args.kv_b, args.heads * (args.nope + args.value), args.kv_lora);
  }
  check.Rows("output", args.output, rows, args.heads * args.value);
  return check.status();
}

}  // namespace glint::kernels
