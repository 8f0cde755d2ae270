// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/attention_piece.h"

#include "kernels/cache_math.h"
#include "kernels/exp_math.h"
#include "kernels/internal/cpu_tile.h"
#include "kernels/isa_vector.h"

namespace glint::kernels::GLINT_ISA {

// Weights lie [token, head], so that softmax runs over heads in the lanes.
constexpr int64_t kLanes = kAttentionMaxHeads;
constexpr int64_t kVectors = kLanes / 8;

struct AttentionState {
  float queries[kAttentionQueryFloats];  // [heads, key width], since output may be the query
  float weights[kAttentionBlock * kLanes];
  float rescale[kLanes];
  F32x8 largest[kVectors];
  F32x8 sum[kVectors];
  int64_t slots[kAttentionBlock];
  int64_t value_offsets[kAttentionBlock];  // of the slots, in elements
  int64_t next_entry;
};

GLINT_ISA_INLINE int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

GLINT_ISA_INLINE void Begin(const AttentionPiece& piece, AttentionState& state) {
  const int64_t width = piece.query_width + piece.tail_width;
  for (int64_t head = 0; head < piece.heads; ++head) {
    float* to = state.queries + head * width;
    memcpy(to, piece.query + head * piece.query_stride, piece.query_width * sizeof(float));
    if (piece.tail_width > 0) {
      memcpy(to + piece.query_width, piece.query_tail + head * piece.tail_stride,
             piece.tail_width * sizeof(float));
    }
    memset(piece.output + head * piece.output_stride, 0, piece.value_width * sizeof(float));
  }
  memset(state.weights, 0, sizeof(state.weights));
  for (int64_t v = 0; v < kVectors; ++v) {
    state.largest[v] = Splat(-__builtin_inff());
    state.sum[v] = F32x8{};
  }
  state.next_entry = 0;
}

// The slots of the next attended tokens; 0 when there are none left.
GLINT_ISA_INLINE int64_t NextBlock(const AttentionPiece& piece, AttentionState& state) {
  const int64_t position = piece.tables.row_position[piece.row];
  const int64_t entries = piece.positions == nullptr ? position + 1 : piece.top_k;
  int64_t count = 0;
  for (; count < kAttentionBlock && state.next_entry < entries; ++state.next_entry) {
    const int64_t t =
        piece.positions == nullptr ? state.next_entry : piece.positions[state.next_entry];
    if (t < 0 || t > position) continue;
    state.slots[count] = CacheSlot(piece.tables, piece.tables.row_sequence[piece.row], t);
    state.value_offsets[count] = state.slots[count] * piece.value_stride;
    ++count;
  }
  return count;
}

template <typename Element>
GLINT_ISA_INLINE void ScoreBlock(const AttentionPiece& piece, AttentionState& state,
                                 int64_t count) {
  const int64_t width = piece.query_width + piece.tail_width;
  const auto* keys = static_cast<const Element*>(piece.keys);
  for (int64_t t = 0; t < count; t += kTileTokens) {
    int64_t at[kTileTokens];
    const Element* tokens[kTileTokens];
    for (int64_t j = 0; j < kTileTokens; ++j) {
      at[j] = Smaller(t + j, count - 1);
      tokens[j] = keys + state.slots[at[j]] * piece.key_stride;
    }
    for (int64_t head = 0; head < piece.heads; head += kTileRows) {
      const float* rows[kTileRows];
      for (int64_t i = 0; i < kTileRows; ++i) {
        rows[i] = state.queries + Smaller(head + i, piece.heads - 1) * width;
      }
      float dots[kTileTokens][kTileRows];
      DotTile<kTileRows, kTileTokens>(rows, tokens, width, dots);
      for (int64_t j = 0; j < kTileTokens; ++j) {
        float* weights = state.weights + at[j] * kLanes + head;
        for (int64_t i = 0; i < kTileRows; ++i) weights[i] = dots[j][i] * piece.scale;
      }
    }
  }
}

// Scores become weights relative to the largest score so far; rescale is what earlier sums are to
// be multiplied with.
GLINT_ISA_INLINE void WeighBlock(const AttentionPiece& piece, AttentionState& state,
                                 int64_t count) {
  const int64_t vectors = piece.heads > 8 ? 2 : 1;
  for (int64_t v = 0; v < vectors; ++v) {
    float* weights = state.weights + v * 8;
    const F32x8 before = state.largest[v];
    F32x8 largest = before;
    for (int64_t t = 0; t < count; ++t) {
      const F32x8 score = Load(weights + t * kLanes);
      largest = score > largest ? score : largest;
    }
    state.largest[v] = largest;
    Store(state.rescale + v * 8, before - largest);
    for (int64_t t = 0; t < count; ++t) {
      Store(weights + t * kLanes, Load(weights + t * kLanes) - largest);
    }
    for (int64_t i = 0; i < 8; ++i) state.rescale[v * 8 + i] = ExpMath(state.rescale[v * 8 + i]);
    F32x8 sum = {};
    for (int64_t t = 0; t < count; ++t) {
      float* at = weights + t * kLanes;
      for (int64_t i = 0; i < 8; ++i) at[i] = ExpMath(at[i]);
      sum += Load(at);
    }
    state.sum[v] = state.sum[v] * Load(state.rescale + v * 8) + sum;
  }
}

// output = output * rescale + sum of weight * value, for columns [column, column + 16) of 4 heads.
template <typename Element>
GLINT_ISA_INLINE void AddWideColumns(const AttentionPiece& piece, const AttentionState& state,
                                     int64_t count, int64_t column, int64_t head) {
  const auto* values = static_cast<const Element*>(piece.values) + column;
  F32x8 sums[kTileRows][2] = {};
  const float* weights = state.weights + head;
  for (int64_t t = 0; t < count; ++t, weights += kLanes) {
    const Element* token = values + state.value_offsets[t];
    F32x8 first = LoadElements(token);
    F32x8 second = LoadElements(token + 8);
    KeepInRegister(first);
    KeepInRegister(second);
    for (int64_t i = 0; i < kTileRows; ++i) {
      sums[i][0] += Broadcast(weights[i]) * first;
      sums[i][1] += Broadcast(weights[i]) * second;
    }
  }
  for (int64_t i = 0; i < Smaller(kTileRows, piece.heads - head); ++i) {
    float* to = piece.output + (head + i) * piece.output_stride + column;
    const F32x8 rescale = Broadcast(state.rescale[head + i]);
    Store(to, Load(to) * rescale + sums[i][0]);
    Store(to + 8, Load(to + 8) * rescale + sums[i][1]);
  }
}

// The same for the last `width` < 16 columns.
template <typename Element>
GLINT_ISA_INLINE void AddLastColumns(const AttentionPiece& piece, const AttentionState& state,
                                     int64_t count, int64_t column, int64_t head) {
  for (; column < piece.value_width; column += 8) {
    const int64_t width = Smaller(8, piece.value_width - column);
    const auto* values = static_cast<const Element*>(piece.values) + column;
    F32x8 sums[kTileRows] = {};
    for (int64_t t = 0; t < count; ++t) {
      const F32x8 token = LoadElementsPart(values + state.value_offsets[t], width);
      const float* weights = state.weights + t * kLanes + head;
      for (int64_t i = 0; i < kTileRows; ++i) sums[i] += Broadcast(weights[i]) * token;
    }
    for (int64_t i = 0; i < Smaller(kTileRows, piece.heads - head); ++i) {
      float* to = piece.output + (head + i) * piece.output_stride + column;
      const F32x8 rescale = Broadcast(state.rescale[head + i]);
      StorePart(to, LoadPart(to, width) * rescale + sums[i], width);
    }
  }
}

template <typename Element>
GLINT_ISA_INLINE void AddValues(const AttentionPiece& piece, const AttentionState& state,
                                int64_t count) {
  int64_t column = 0;
  for (; column + 16 <= piece.value_width; column += 16) {
    for (int64_t head = 0; head < piece.heads; head += kTileRows) {
      AddWideColumns<Element>(piece, state, count, column, head);
    }
  }
  for (int64_t head = 0; head < piece.heads; head += kTileRows) {
    AddLastColumns<Element>(piece, state, count, column, head);
  }
}

template <typename Element>
GLINT_ISA_INLINE void Attend(const AttentionPiece& piece) {
  AttentionState state;
  Begin(piece, state);
  for (int64_t count = NextBlock(piece, state); count > 0; count = NextBlock(piece, state)) {
    ScoreBlock<Element>(piece, state, count);
    WeighBlock(piece, state, count);
    AddValues<Element>(piece, state, count);
  }
  for (int64_t head = 0; head < piece.heads; ++head) {
    const float sum = state.sum[head / 8][head % 8];
    if (sum == 0) continue;  // nothing was attended to
    float* output = piece.output + head * piece.output_stride;
    for (int64_t column = 0; column < piece.value_width; ++column) output[column] /= sum;
  }
}

void AttendPiece(const AttentionPiece* args) {
  if (args->bf16) {
    Attend<uint16_t>(*args);
  } else {
    Attend<float>(*args);
  }
}

}  // namespace glint::kernels::GLINT_ISA
