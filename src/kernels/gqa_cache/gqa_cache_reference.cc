// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_cache/gqa_cache_reference.h"

#include <span>
#include <vector>

#include "kernels/cache_math.h"
#include "kernels/internal/reference_math.h"
#include "kernels/rope/rope_reference.h"

namespace glint::kernels {
namespace {

// Norm and rope of every head of `values`.
void TransformHeads(const GqaCacheArgs& args, const tensor::WeightView& norm, std::int32_t position,
                    std::span<double> values) {
  for (std::size_t at = 0; at < values.size(); at += args.head_dim) {
    const std::span<double> head = values.subspan(at, args.head_dim);
    if (norm.data.data != nullptr) RmsNormRow(head, norm, args.epsilon);
    RopeReference(args.rope, position, head.first(args.rope.width));
  }
}

}  // namespace

void GqaCacheReference(const GqaCacheArgs& args) {
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    const std::int32_t sequence = args.tables.row_sequence[row];
    if (sequence < 0) continue;
    const std::int32_t position = args.tables.row_position[row];
    const std::int64_t slot = CacheSlot(args.tables, sequence, position);
    std::vector<double> q = ReadRow(args.q, row, 0, args.q.columns);
    TransformHeads(args, args.q_norm, position, q);
    WriteRow(args.q, row, 0, q);
    std::vector<double> k = ReadRow(args.k, row, 0, args.k.columns);
    TransformHeads(args, args.k_norm, position, k);
    WriteCache(args.k_cache, slot, k);
    WriteCache(args.v_cache, slot, ReadRow(args.v, row, 0, args.v.columns));
  }
}

}  // namespace glint::kernels
