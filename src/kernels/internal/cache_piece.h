// SPDX-License-Identifier: Apache-2.0
// Rows of mla_cache, indexer_cache and gqa_cache: the plain arguments of their CPU kernels.
#pragma once

#include <stdint.h>

#include "kernels/batch_tables.h"
#include "kernels/isa.h"

namespace glint::kernels {

// A norm's weight or bias, F32 or BF16, which may be unaligned; data null: none.
struct PlainVector {
  const void* data;
  bool bf16;
};

// Where keys or values of one cache come from and go to.
struct CacheSide {
  const float* from;  // row 0
  int64_t from_stride;
  void* cache;
  bool cache_bf16;  // else F32
  int64_t cache_width;
};

struct MlaCachePiece {
  BatchTables tables;
  int64_t first_row;
  int64_t row_count;
  RopeView rope;
  float* q_rope;  // row 0, head 0's rope part
  int64_t q_stride;
  int64_t heads;
  int64_t head_stride;
  int64_t kv_lora;
  CacheSide kv;
  PlainVector norm_weight;
  float epsilon;
};

struct IndexerCachePiece {
  BatchTables tables;
  int64_t first_row;
  int64_t row_count;
  RopeView rope;
  float* q;
  int64_t q_stride;
  int64_t heads;
  int64_t head_dim;
  CacheSide key;
  PlainVector norm_weight;
  PlainVector norm_bias;
  float epsilon;
};

struct GqaCachePiece {
  BatchTables tables;
  int64_t first_row;
  int64_t row_count;
  RopeView rope;
  float* q;
  int64_t q_stride;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  CacheSide key;
  CacheSide value;
  PlainVector q_norm;
  PlainVector k_norm;
  float epsilon;
};

GLINT_ISA_ENTRY(MlaCacheRows, MlaCachePiece)
GLINT_ISA_ENTRY(IndexerCacheRows, IndexerCachePiece)
GLINT_ISA_ENTRY(GqaCacheRows, GqaCachePiece)

}  // namespace glint::kernels
