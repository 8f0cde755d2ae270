// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/cache_piece.h"
#include "kernels/internal/cache_rows.h"

namespace glint::kernels::GLINT_ISA {

template <typename Element>
GLINT_ISA_INLINE void CacheRow(const IndexerCachePiece& piece, int64_t row) {
  Element* token = TokenOf<Element>(piece.key, piece.tables, row);
  const NormedRow key = LayerNormed(piece.key.from + row * piece.key.from_stride, piece.head_dim,
                                    piece.norm_weight, piece.norm_bias, piece.epsilon);
  StoreNormed(key, piece.rope.width, piece.head_dim, token);
  float* q = piece.q + row * piece.q_stride;
  RotatedPairs pairs;
  for (int64_t first = 0; first < piece.rope.width / 2; first += RotatedPairs::kMost) {
    FindRotations(piece.rope, piece.tables.row_position[row], first, pairs);
    StoreRotated(key, piece.rope, pairs, token);
    for (int64_t head = 0; head < piece.heads; ++head) {
      RotateInPlace(q + head * piece.head_dim, piece.rope, pairs);
    }
  }
}

void IndexerCacheRows(const IndexerCachePiece* args) {
  for (int64_t row = args->first_row; row < args->first_row + args->row_count; ++row) {
    if (args->tables.row_sequence[row] < 0) continue;
    if (args->key.cache_bf16) {
      CacheRow<uint16_t>(*args, row);
    } else {
      CacheRow<float>(*args, row);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
