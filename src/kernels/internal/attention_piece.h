// SPDX-License-Identifier: Apache-2.0
// One query row and a group of its heads attending to cached tokens: the CPU kernel that
// mla_attention and gqa_attention share. Softmax is taken online over blocks of kAttentionBlock
// attended tokens, ascending, so that the order of sums depends on the set of positions alone.
#pragma once

#include <stdint.h>

#include "kernels/batch_tables.h"
#include "kernels/isa.h"

namespace glint::kernels {

constexpr int64_t kAttentionBlock = 64;          // attended tokens between two rescalings
constexpr int64_t kAttentionMaxHeads = 16;       // of one piece
constexpr int64_t kAttentionQueryFloats = 8192;  // most of heads, rounded up to 4, times key_width

// A query of head h is `query` part then, where tail_width > 0, `query_tail` part; a key is as wide
// as both. keys and values point at the first element of the group's head in token slot 0.
struct AttentionPiece {
  BatchTables tables;
  int64_t row;
  const int32_t* positions;  // [top_k] of this row, entries outside [0, position] masked; or null
  int64_t top_k;
  const void* keys;
  const void* values;
  int64_t key_stride;  // elements from a token slot to the next
  int64_t value_stride;
  bool bf16;  // else F32
  const float* query;
  int64_t query_stride;  // from head to head
  int64_t query_width;
  const float* query_tail;
  int64_t tail_stride;
  int64_t tail_width;
  int64_t value_width;
  int64_t heads;  // <= kAttentionMaxHeads
  float scale;
  float* output;  // may be query
  int64_t output_stride;
};

GLINT_ISA_ENTRY(AttendPiece, AttentionPiece)
GLINT_AMX_ENTRY(AttendPiece, AttentionPiece)

constexpr int64_t kTiledAttentionMostWidth = 1024;  // of a key

// True for what amx::AttendPiece does on tiles, for any number of heads up to kAttentionMaxHeads;
// the rest it leaves to avx512::AttendPiece.
[[gnu::always_inline]] inline bool TilesAttend(const AttentionPiece& piece) {
  const int64_t width = piece.query_width + piece.tail_width;
  return piece.bf16 && width % 32 == 0 && width <= kTiledAttentionMostWidth &&
         piece.value_width % 64 == 0;
}

}  // namespace glint::kernels
