// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/cache_piece.h"
#include "kernels/internal/cache_rows.h"

namespace glint::kernels::GLINT_ISA {

template <typename Element>
GLINT_ISA_INLINE void CacheKeys(const GqaCachePiece& piece, int64_t row,
                                const RotatedPairs& pairs) {
  const float* keys = piece.key.from + row * piece.key.from_stride;
  Element* token = TokenOf<Element>(piece.key, piece.tables, row);
  for (int64_t at = 0; at < piece.kv_heads * piece.head_dim; at += piece.head_dim) {
    const NormedRow key = RmsNormed(keys + at, piece.head_dim, piece.k_norm, piece.epsilon);
    StoreRotated(key, piece.rope, pairs, token + at);
    if (pairs.first == 0) StoreNormed(key, piece.rope.width, piece.head_dim, token + at);
  }
}

template <typename Element>
GLINT_ISA_INLINE void CacheValues(const GqaCachePiece& piece, int64_t row) {
  const NormedRow values = {piece.value.from + row * piece.value.from_stride, {}, {}, 0, 1};
  StoreNormed(values, 0, piece.kv_heads * piece.head_dim,
              TokenOf<Element>(piece.value, piece.tables, row));
}

GLINT_ISA_INLINE void CacheRow(const GqaCachePiece& piece, int64_t row) {
  float* q = piece.q + row * piece.q_stride;
  const int64_t q_width = piece.heads * piece.head_dim;
  for (int64_t at = 0; at < q_width && piece.q_norm.data != nullptr; at += piece.head_dim) {
    const NormedRow head = RmsNormed(q + at, piece.head_dim, piece.q_norm, piece.epsilon);
    StoreNormed(head, 0, piece.head_dim, q + at);
  }
  RotatedPairs pairs;
  for (int64_t first = 0; first < piece.rope.width / 2; first += RotatedPairs::kMost) {
    FindRotations(piece.rope, piece.tables.row_position[row], first, pairs);
    for (int64_t at = 0; at < q_width; at += piece.head_dim) {
      RotateInPlace(q + at, piece.rope, pairs);
    }
    if (piece.key.cache_bf16) {
      CacheKeys<uint16_t>(piece, row, pairs);
    } else {
      CacheKeys<float>(piece, row, pairs);
    }
  }
  if (piece.value.cache_bf16) {
    CacheValues<uint16_t>(piece, row);
  } else {
    CacheValues<float>(piece, row);
  }
}

void GqaCacheRows(const GqaCachePiece* args) {
  for (int64_t row = args->first_row; row < args->first_row + args->row_count; ++row) {
    if (args->tables.row_sequence[row] >= 0) CacheRow(*args, row);
  }
}

}  // namespace glint::kernels::GLINT_ISA
