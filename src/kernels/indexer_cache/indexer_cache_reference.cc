// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_cache/indexer_cache_reference.h"

#include <cmath>
#include <span>
#include <vector>

#include "kernels/cache_math.h"
#include "kernels/internal/reference_math.h"
#include "kernels/rope/rope_reference.h"

namespace glint::kernels {
namespace {

void LayerNormRow(const IndexerCacheArgs& args, std::span<double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double factor = 1 / std::sqrt(squares / count + static_cast<double>(args.epsilon));
  for (std::int64_t i = 0; i < args.head_dim; ++i) {
    values[i] = (values[i] - mean) * factor * tensor::WeightElement(args.norm_weight, i, 0) +
                tensor::WeightElement(args.norm_bias, i, 0);
  }
}

}  // namespace

void IndexerCacheReference(const IndexerCacheArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    const std::int32_t sequence = args.tables.row_sequence[row];
    if (sequence < 0) continue;
    const std::int32_t position = args.tables.row_position[row];
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const std::int64_t column = head * args.head_dim;
      std::vector<double> rotated = ReadRow(args.q, row, column, args.rope.width);
      RopeReference(args.rope, position, rotated);
      WriteRow(args.q, row, column, rotated);
    }
    std::vector<double> key = ReadRow(args.k, row, 0, args.head_dim);
    LayerNormRow(args, key);
    RopeReference(args.rope, position, std::span<double>(key).first(args.rope.width));
    WriteCache(args.cache, CacheSlot(args.tables, sequence, position), key);
  }
}

}  // namespace glint::kernels
