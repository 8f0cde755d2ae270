// SPDX-License-Identifier: Apache-2.0
// The device tables that say what the rows of a step are. Their addresses are fixed for the life
// of an engine and their content changes each step, so that a captured graph can be launched
// again; no kernel argument depends on a context length that the host knows.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace glint::kernels {

// A row is one token of one sequence. `row_count` is the bucket that the step was padded to; a
// padding row has sequence -1 and is skipped: nothing is read or written for it.
struct BatchTables {
  std::int64_t row_count = 0;
  std::int64_t sequence_count = 0;
  const std::int32_t* row_sequence = nullptr;  // [row_count] index of the row's sequence, or -1
  const std::int32_t* row_position = nullptr;  // [row_count] logical position, 0-based
  // [sequence_count, max_pages] page of logical positions page * page_tokens ...; entries beyond a
  // sequence's length are not read.
  const std::int32_t* page_table = nullptr;
  std::int64_t max_pages = 0;
  std::int64_t page_tokens = 0;
};

// One layer's part of a page pool: element [page, token in page, width], contiguous.
// F32, BF16, or F8_E4M3 with the scales of glm-architecture.md 2.12 (a later issue).
struct CacheView {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kBF16;
  std::int64_t width = 0;
  std::int64_t page_tokens = 0;
};

// Rotary embedding: angle = float(position) * inverse_frequency[j] as a float product.
struct RopeView {
  const float* inverse_frequency = nullptr;  // [width / 2]
  std::int64_t width = 0;                    // rotated elements, even
  bool interleaved = true;                   // pairs (2j, 2j+1), or half-split (j, j + width/2)
};

// Logical positions that a query row attends to, from the indexer, shared by the layers that
// follow: [rows, top_k] ascending, padded with -1.
struct SelectionView {
  std::int32_t* positions = nullptr;
  std::int64_t top_k = 0;
};

}  // namespace glint::kernels
