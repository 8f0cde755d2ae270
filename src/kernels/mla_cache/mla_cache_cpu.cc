// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/cache_piece.h"
#include "kernels/internal/cache_rows.h"

namespace glint::kernels::GLINT_ISA {

template <typename Element>
GLINT_ISA_INLINE void CacheRow(const MlaCachePiece& piece, int64_t row) {
  const float* kv = piece.kv.from + row * piece.kv.from_stride;
  Element* token = TokenOf<Element>(piece.kv, piece.tables, row);
  StoreNormed(RmsNormed(kv, piece.kv_lora, piece.norm_weight, piece.epsilon), 0, piece.kv_lora,
              token);
  const NormedRow key = {kv + piece.kv_lora, {}, {}, 0, 1};
  float* q = piece.q_rope + row * piece.q_stride;
  RotatedPairs pairs;
  for (int64_t first = 0; first < piece.rope.width / 2; first += RotatedPairs::kMost) {
    FindRotations(piece.rope, piece.tables.row_position[row], first, pairs);
    StoreRotated(key, piece.rope, pairs, token + piece.kv_lora);
    for (int64_t head = 0; head < piece.heads; ++head) {
      RotateInPlace(q + head * piece.head_stride, piece.rope, pairs);
    }
  }
}

void MlaCacheRows(const MlaCachePiece* args) {
  for (int64_t row = args->first_row; row < args->first_row + args->row_count; ++row) {
    if (args->tables.row_sequence[row] < 0) continue;
    if (args->kv.cache_bf16) {
      CacheRow<uint16_t>(*args, row);
    } else {
      CacheRow<float>(*args, row);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
