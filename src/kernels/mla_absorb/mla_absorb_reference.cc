// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_absorb/mla_absorb_reference.h"

#include "kernels/activation_reference.h"
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

namespace {

// output[row, h, :] = half[h] input[row, h, :], as linear.
struct HeadProducts {
  const BatchTables& tables;
  std::int64_t heads;
  const QuantizedActivation& input;
  std::int64_t input_stride;  // columns from head to head
  const tensor::WeightView& half;
  const Activation& output;
};

void RunHeadProducts(const HeadProducts& args) {
  const std::int64_t outputs = args.half.rows / args.heads;
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    for (std::int64_t n = 0; n < args.half.rows; ++n) {
      const std::int64_t first = n / outputs * args.input_stride;
      double sum = 0;
      for (std::int64_t k = 0; k < args.half.columns; ++k) {
        sum += LoadActivation(args.input, row, first + k) * tensor::WeightElement(args.half, n, k);
      }
      StoreActivation(args.output, row, n, sum);
    }
  }
}

}  // namespace

void MlaAbsorbQueryReference(const MlaAbsorbQueryArgs& args) {
  if (args.k_b.data.data != nullptr) {
    return RunHeadProducts({args.tables, args.heads, args.quantized_q, args.query_head_stride,
                            args.k_b, args.q_latent});
  }
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
  if (args.v_b.data.data != nullptr) {
    return RunHeadProducts(
        {args.tables, args.heads, args.quantized_latent, args.kv_lora, args.v_b, args.output});
  }
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
