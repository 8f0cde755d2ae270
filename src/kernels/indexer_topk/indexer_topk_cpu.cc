// SPDX-License-Identifier: Apache-2.0
#include "kernels/cache_math.h"
#include "kernels/indexer_topk/indexer_score.h"
#include "kernels/indexer_topk/indexer_topk_math.h"
#include "kernels/internal/cpu_tile.h"

namespace glint::kernels::GLINT_ISA {

template <typename Element>
GLINT_ISA_INLINE const Element* KeyOf(const IndexerScorePiece& piece, int64_t position) {
  const int64_t slot = CacheSlot(piece.tables, piece.tables.row_sequence[piece.row], position);
  return static_cast<const Element*>(piece.cache) + slot * piece.head_dim;
}

template <typename Element>
GLINT_ISA_INLINE void ScoreAll(const IndexerScorePiece& piece) {
  const float weight_scale = IndexerScale(piece.heads);
  const float dot_scale = IndexerScale(piece.head_dim);
  const int64_t last = piece.heads - 1;
  for (int64_t t = 0; t < piece.count; t += kTileTokens) {
    const Element* keys[kTileTokens];
    for (int64_t j = 0; j < kTileTokens; ++j) {
      const int64_t at = t + j < piece.count ? t + j : piece.count - 1;
      keys[j] = KeyOf<Element>(piece, piece.first + at);
    }
    float scores[kTileTokens] = {};
    for (int64_t head = 0; head < piece.heads; head += kTileRows) {
      const float* queries[kTileRows];
      float weights[kTileRows];
      for (int64_t i = 0; i < kTileRows; ++i) {
        const int64_t at = head + i < last ? head + i : last;
        queries[i] = piece.query + at * piece.head_dim;
        weights[i] = piece.head_weights[at] * weight_scale;
      }
      float dots[kTileTokens][kTileRows];
      DotTile<kTileRows, kTileTokens>(queries, keys, piece.head_dim, dots);
      for (int64_t i = 0; i < kTileRows && head + i <= last; ++i) {
        for (int64_t j = 0; j < kTileTokens; ++j) {
          const float dot = dots[j][i] * dot_scale;
          // Written so that a NaN passes through.
          scores[j] = __builtin_fmaf(weights[i], dot < 0 ? 0 : dot, scores[j]);
        }
      }
    }
    for (int64_t j = 0; j < kTileTokens && t + j < piece.count; ++j) {
      piece.candidates[t + j] = {scores[j], static_cast<int32_t>(piece.first + t + j)};
    }
  }
}

void IndexerScore(const IndexerScorePiece* args) {
  if (args->bf16) {
    ScoreAll<uint16_t>(*args);
  } else {
    ScoreAll<float>(*args);
  }
}

}  // namespace glint::kernels::GLINT_ISA
