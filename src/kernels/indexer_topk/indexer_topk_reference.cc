// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_topk/indexer_topk_reference.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/cache_math.h"
#include "kernels/indexer_topk/indexer_topk_math.h"
#include "kernels/internal/reference_math.h"

namespace glint::kernels {
namespace {

// I[t] of every visible position: the constants and head weights as floats, the sums in double.
std::vector<double> Scores(const IndexerTopkArgs& args, std::int64_t row, std::int64_t visible) {
  const std::vector<double> q = ReadRow(args.q, row, 0, args.q.columns);
  const std::vector<double> raw = ReadRow(args.head_weights, row, 0, args.heads);
  const auto dot_scale = static_cast<double>(IndexerScale(args.head_dim));
  std::vector<double> scores(visible, 0.0);
  for (std::int64_t t = 0; t < visible; ++t) {
    const std::int64_t slot = CacheSlot(args.tables, args.tables.row_sequence[row], t);
    const std::vector<double> key = ReadCache(args.cache, slot, 0, args.head_dim);
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const float weight = static_cast<float>(raw[head]) * IndexerScale(args.heads);
      const std::span<const double> query(q.data() + head * args.head_dim, key.size());
      const double dot = dot_scale * Dot(query, key);
      // Written so that a NaN passes through.
      scores[t] += static_cast<double>(weight) * (dot < 0 ? 0 : dot);
    }
  }
  return scores;
}

}  // namespace

void IndexerTopkReference(const IndexerTopkArgs& args) {
  const std::int64_t top_k = args.selection.top_k;
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    const std::int64_t visible = args.tables.row_position[row] + 1;
    std::vector<std::int32_t> positions(visible);
    std::iota(positions.begin(), positions.end(), 0);
    if (visible > top_k) {
      const std::vector<double> scores = Scores(args, row, visible);
      std::sort(positions.begin(), positions.end(), [&](std::int32_t a, std::int32_t b) {
        return IndexerPrefers(scores[a], a, scores[b], b);
      });
      positions.resize(top_k);
      std::sort(positions.begin(), positions.end());
    }
    positions.resize(top_k, -1);
    std::copy(positions.begin(), positions.end(), args.selection.positions + row * top_k);
  }
}

}  // namespace glint::kernels
