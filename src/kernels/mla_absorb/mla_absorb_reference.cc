// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb_reference.h"

#include "kernels/internal/reference_math.h"

namespace glint::kernels {

std::vector<double> AbsorbHead(const tensor::WeightView& kv_b, std::int64_t first_row,
                               std::span<const double> q_nope) {
  std::vector<double> latent(kv_b.columns, 0.0);
  for (std::int64_t column = 0; column < kv_b.columns; ++column) {
    std::int64_t row = first_row;
    for (const double q : q_nope) {
      latent[column] += q * tensor::WeightElement(kv_b, row++, column);
    }
  }
  return latent;
}

std::vector<double> ExpandHead(const tensor::WeightView& kv_b, std::int64_t first_row,
                               std::int64_t value, std::span<const double> latent) {
  std::vector<double> output(value, 0.0);
  for (std::int64_t i = 0; i < value; ++i) {
    std::int64_t column = 0;
    for (const double element : latent) {
      output[i] += element * tensor::WeightElement(kv_b, first_row + i, column++);
    }
  }
  return output;
}

void MlaAbsorbQueryReference(const MlaAbsorbQueryArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const std::vector<double> q_nope =
          ReadRow(args.q, row, head * args.query_head_stride, args.nope);
      const std::int64_t first_row = head * (args.nope + args.value);
      WriteRow(args.q_latent, row, head * args.kv_lora, AbsorbHead(args.kv_b, first_row, q_nope));
    }
  }
}

void MlaExpandValueReference(const MlaExpandValueArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const std::vector<double> latent =
          ReadRow(args.latent, row, head * args.kv_lora, args.kv_lora);
      const std::int64_t first_row = head * (args.nope + args.value) + args.nope;
      WriteRow(args.output, row, head * args.value,
               ExpandHead(args.kv_b, first_row, args.value, latent));
    }
  }
}

}  // namespace glint::kernels
