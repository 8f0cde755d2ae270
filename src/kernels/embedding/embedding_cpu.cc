// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/embedding_rows.h"
#include "kernels/isa_dot.h"

namespace glint::kernels::GLINT_ISA {
namespace {

using tensor::DType;

template <DType kTable>
void WidenRow(const EmbeddingRows& args, int64_t token, float* out) {
  const int64_t first = token * args.columns;
  int64_t column = 0;
  for (; column + 8 <= args.columns; column += 8) {
    Store(out + column, LoadAs<kTable>(args.table, first + column));
  }
  const int64_t rest = args.columns - column;
  if (rest != 0) {
    StorePart(out + column, LoadPartAs<kTable>(args.table, first + column, rest), rest);
  }
}

}  // namespace

void RunEmbeddingRows(const EmbeddingRows* args) {
  for (int64_t row = 0; row < args->rows; ++row) {
    if (args->row_sequence != nullptr && args->row_sequence[row] < 0) continue;
    const int32_t slot = args->tokens[row];
    const int32_t sampled = slot >= 0 ? slot : args->samples[-1 - slot];
    const int32_t token = sampled >= 0 ? sampled : 0;
    float* out = args->out + row * args->stride;
    if (args->table_dtype == DType::kF32) {
      WidenRow<DType::kF32>(*args, token, out);
    } else if (args->table_dtype == DType::kBF16) {
      WidenRow<DType::kBF16>(*args, token, out);
    } else {
      WidenRow<DType::kF16>(*args, token, out);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
