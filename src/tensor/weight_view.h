// SPDX-License-Identifier: Apache-2.0
// A weight matrix in the format it is stored in: the numbers, their scales, and what they mean.
// The format follows from the stored dtype and the scale tensors, never from the model's name.
//
// Bit orders are those of safetensors checkpoints (glm-architecture.md, section 4).
#pragma once

#include <cstdint>

#include "tensor/tensor_view.h"

namespace glint::tensor {

// w is the value of element (row r, column c) of a matrix [rows, columns] = [out, in].
enum class WeightFormat : std::uint8_t {
  kPlain,     // F32, F16 or BF16 as stored
  kFp8Block,  // E4M3; w = q * scales[r / 128, c / 128], scales [ceil(rows/128), ceil(columns/128)]
  kFp8Channel,   // E4M3; w = q * scales[r]
  kInt8Channel,  // I8; w = q * scales[r]
  // Two per byte, low nibble first, stored as q + 8; w = (n - 8) * scales[r, c / group].
  kInt4Group,
  kMxfp4,  // E2M1, two per byte, low nibble first; w = q * scales[r, c / 32], scales E8M0
  // GGUF's, block_format.h: data is U8 [rows, bytes of a row's blocks], scales are inside.
  // NOLINTBEGIN(readability-identifier-naming): the formats' own names
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ4K,
  kQ5K,
  kQ6K,
  kMxfp4Block,
  // NOLINTEND(readability-identifier-naming)
};

const char* WeightFormatName(WeightFormat format);

// Where the numbers of a matrix lie.
enum class WeightLayout : std::uint8_t {
  kRows,          // one row after another
  kInterleaved8,  // eight rows at a time, for the CPU's kernels: interleaved.h
};

// Valid as long as the memory behind it, which need not be aligned. 4-bit data is U8
// [rows, columns / 2], and columns is a multiple of the group (32 for kMxfp4). A plain vector (a
// norm's weight) has columns 1. For a block format, columns is a multiple of the block's elements.
struct WeightView {
  WeightFormat format = WeightFormat::kPlain;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  TensorView data;         // rows contiguous
  TensorView scales;       // empty (data null) for kPlain; F32, BF16 or E8M0
  std::int64_t group = 0;  // columns per scale for kInt4Group: 32, 64 or 128
  WeightLayout layout = WeightLayout::kRows;
};

// What `data` holds per row: bytes where the dtype is U8, else elements. The part of a block that a
// row has counts for kInterleaved8.
std::int64_t DataPerRow(const WeightView& weight);

// The value of one element, exact in double. The oracle of every kernel that reads weights; slow.
double WeightElement(const WeightView& weight, std::int64_t row, std::int64_t column);

// A whole row, each element rounded once to float: [columns].
void ReadRow(const WeightView& weight, std::int64_t row, float* out);

// Bytes that one pass over the whole matrix reads, scales included.
std::int64_t WeightBytes(const WeightView& weight);

}  // namespace glint::tensor
