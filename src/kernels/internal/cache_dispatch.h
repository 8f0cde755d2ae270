// SPDX-License-Identifier: Apache-2.0
// What the CPU wrappers of the cache operations share: views as plain structs, reasons to run on
// the reference, and the rows split over the pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/format.h"
#include "device/cpu/worker_pool.h"
#include "kernels/activation.h"
#include "kernels/internal/cache_piece.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

inline PlainVector PlainVectorOf(const tensor::WeightView& weight) {
  return {weight.data.data, weight.data.dtype == tensor::DType::kBF16};
}

inline CacheSide CacheSideOf(const Activation& from, const CacheView& cache) {
  return {static_cast<const float*>(from.data), from.stride, cache.data,
          cache.dtype == tensor::DType::kBF16, cache.width};
}

// Empty when all rows are F32 and all vectors that are given F32 or BF16.
inline std::string CacheFallbackReason(std::initializer_list<const Activation*> rows,
                                       std::initializer_list<const tensor::WeightView*> vectors) {
  for (const Activation* activation : rows) {
    if (activation->dtype == tensor::DType::kF32) continue;
    return format("activations are {}, not F32", tensor::DTypeName(activation->dtype));
  }
  for (const tensor::WeightView* vector : vectors) {
    const tensor::DType dtype = vector->data.dtype;
    if (vector->data.data == nullptr) continue;
    if (dtype == tensor::DType::kF32 || dtype == tensor::DType::kBF16) continue;
    return format("a norm is {}, not F32 or BF16", tensor::DTypeName(dtype));
  }
  return {};
}

template <typename Piece>
void RunCacheRows(device::WorkerPool& pool, const Piece& all, void (*entry)(const Piece* piece)) {
  constexpr std::int64_t kRows = 4;
  const std::int64_t rows = all.tables.row_count;
  pool.Run((rows + kRows - 1) / kRows, [&](std::int64_t index) {
    Piece piece = all;
    piece.first_row = index * kRows;
    piece.row_count = std::min(kRows, rows - piece.first_row);
    entry(&piece);
  });
}

}  // namespace glint::kernels
