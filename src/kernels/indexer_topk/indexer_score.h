// SPDX-License-Identifier: Apache-2.0
// The scores of neighbouring positions for one row of indexer_topk: the plain arguments of its CPU
// kernel.
#pragma once

#include <stdint.h>

#include "kernels/batch_tables.h"
#include "kernels/isa.h"

namespace glint::kernels {

struct IndexerCandidate {
  float score;
  int32_t position;
};

struct IndexerScorePiece {
  BatchTables tables;
  int64_t row;
  int64_t first;  // logical positions [first, first + count)
  int64_t count;
  int64_t heads;
  int64_t head_dim;
  const float* query;         // [heads, head_dim]
  const float* head_weights;  // [heads]
  const void* cache;
  bool bf16;                     // else F32
  IndexerCandidate* candidates;  // [count], written
};

GLINT_ISA_ENTRY(IndexerScore, IndexerScorePiece)

}  // namespace glint::kernels
