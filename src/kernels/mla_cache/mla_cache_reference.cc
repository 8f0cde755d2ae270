// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_cache/mla_cache_reference.h"

#include <span>
#include <vector>

#include "kernels/cache_math.h"
#include "kernels/internal/reference_math.h"
#include "kernels/rope/rope_reference.h"

namespace glint::kernels {

void MlaCacheReference(const MlaCacheArgs& args) {
  const std::int64_t head_width = args.nope + args.rope.width;
  for (std::int64_t row = 0; row < args.tables.row_count; ++row) {
    const std::int32_t sequence = args.tables.row_sequence[row];
    if (sequence < 0) continue;
    const std::int32_t position = args.tables.row_position[row];
    for (std::int64_t head = 0; head < args.heads; ++head) {
      const std::int64_t column = head * head_width + args.nope;
      std::vector<double> q_pe = ReadRow(args.q, row, column, args.rope.width);
      RopeReference(args.rope, position, q_pe);
      WriteRow(args.q, row, column, q_pe);
    }
    std::vector<double> token = ReadRow(args.kv_a, row, 0, args.kv_lora + args.rope.width);
    const std::span<double> all = token;
    RmsNormRow(all.first(args.kv_lora), args.norm_weight, args.epsilon);
    RopeReference(args.rope, position, all.subspan(args.kv_lora));
    WriteCache(args.cache, CacheSlot(args.tables, sequence, position), token);
  }
}

}  // namespace glint::kernels
