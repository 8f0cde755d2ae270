// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/embedding_reference.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "kernels/activation_reference.h"

namespace glint::kernels {
namespace {

std::int64_t TokenOfSlot(const EmbeddingArgs& args, std::int64_t row) {
  const std::int64_t slot = args.tokens[row];
  if (slot >= 0) return slot;
  const std::int64_t sample = -1 - slot;
  GLINT_CHECK(sample < args.sample_count,
              format("sample {} of {} in row {}", sample, args.sample_count, row));
  return std::max(args.samples[sample], 0);
}

}  // namespace

void EmbeddingReference(const EmbeddingArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence != nullptr && args.tables.row_sequence[row] < 0) continue;
    const std::int64_t token = TokenOfSlot(args, row);
    GLINT_CHECK(token >= 0 && token < args.table.rows,
                format("token {} of {} in row {}", token, args.table.rows, row));
    for (std::int64_t column = 0; column < args.table.columns; ++column) {
      StoreActivation(args.out, row, column, tensor::WeightElement(args.table, token, column));
    }
  }
}

}  // namespace glint::kernels
