// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_attention/gqa_attention_reference.h"

#include <vector>

#include "kernels/cache_math.h"
#include "kernels/internal/reference_math.h"

namespace glint::kernels {
namespace {

void AttendHead(const GqaAttentionArgs& args, std::int64_t row, std::int64_t head) {
  const std::int32_t sequence = args.tables.row_sequence[row];
  const std::int64_t visible = args.tables.row_position[row] + 1;
  const std::int64_t cached = head / (args.heads / args.kv_heads) * args.head_dim;
  const std::vector<double> q = ReadRow(args.q, row, head * args.head_dim, args.head_dim);
  std::vector<double> scores(visible);
  for (std::int64_t t = 0; t < visible; ++t) {
    const std::int64_t slot = CacheSlot(args.tables, sequence, t);
    scores[t] = Dot(q, ReadCache(args.k_cache, slot, cached, args.head_dim)) *
                static_cast<double>(args.scale);
  }
  SoftmaxRow(scores);
  std::vector<double> output(args.head_dim, 0.0);
  for (std::int64_t t = 0; t < visible; ++t) {
    const std::int64_t slot = CacheSlot(args.tables, sequence, t);
    const std::vector<double> v = ReadCache(args.v_cache, slot, cached, args.head_dim);
    for (std::int64_t i = 0; i < args.head_dim; ++i) output[i] += scores[t] * v[i];
  }
  WriteRow(args.output, row, head * args.head_dim, output);
}

}  // namespace

void GqaAttentionReference(const GqaAttentionArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    if (args.tables.row_sequence[row] < 0) continue;
    for (std::int64_t head = 0; head < args.heads; ++head) AttendHead(args, row, head);
  }
}

}  // namespace glint::kernels
