// SPDX-License-Identifier: Apache-2.0
// The layout that the CPU's integer kernels read: eight rows of a matrix together, so that the
// sums of eight outputs lie in the eight lanes of a register, and one pass over the matrix reads
// memory from front to back.
//
// A group of eight rows is a row of blocks; a block holds some columns of all eight:
//
//   format        columns  bytes  the block
//   Q4_0               32    144  8 x d, nibbles
//   Q4_1               32    160  8 x d, 8 x m, nibbles
//   Q5_0               32    176  8 x d, nibbles, bits
//   Q5_1               32    192  8 x d, 8 x m, nibbles, bits
//   Q8_0               32    272  8 x d, bytes
//   MXFP4, both        32    136  8 x e, nibbles
//   Q4_K              256   1184  8 x d, 8 x dmin, 8 times (8 x u8 scale, 8 x u8 minimum, nibbles)
//   Q5_K              256   1440  as Q4_K, with bits behind the nibbles
//   Q6_K              256   1680  8 x d, 8 times (8 x i8 scale, 8 x i8 scale, nibbles, pairs)
//   int4 group      group         8 x BF16 scale, group / 32 times (nibbles)
//   int8 channel       32    256  bytes; the scales stay apart
//
// d, m and dmin are binary16. With v = column / 4 in [0, 8) of 32 columns, lane the row in [0, 8),
// and at = 4 lane + column % 4:
//   bytes    256: the code is byte 32 v + at
//   nibbles  128: v < 4 in the low, v >= 4 in the high nibble of byte 32 (v % 4) + at
//   pairs     64: the upper two bits of six, at bit 2 (v % 4) of byte 32 (v / 4) + at
//   bits      32: the upper bit of five, at bit v of byte at
// Codes, scales and minima are those of the stored format, so nothing is lost. Q4_K's six-bit
// scales take a byte each: 2.8 % more memory than in the file; the others take what they took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/weight_view.h"

namespace glint::tensor {

constexpr std::int64_t kInterleavedRows = 8;

struct InterleavedBlock {
  std::int64_t columns = 0;
  std::int64_t bytes = 0;  // of all eight rows
};

// nullopt for a format that has no such layout. `group` counts for kInt4Group only.
std::optional<InterleavedBlock> InterleavedBlockOf(WeightFormat format, std::int64_t group);

// True when a matrix stored in rows can be laid out anew: its format has the layout, its rows are
// a multiple of eight, its columns of a block, and its scales are of the type that a block holds.
bool CanInterleave(const WeightView& weight);

// The view of the matrix `from` once its rows lie interleaved at `data`, of
// DataPerRow(view) * rows bytes.
WeightView InterleavedView(const WeightView& from, const std::byte* data);

// Lays out the rows [first, first + 8) of `from`, which CanInterleave, at their place in the matrix
// at `to`. first is a multiple of eight.
void InterleaveRows(const WeightView& from, std::int64_t first, std::byte* to);

// The value of one element of an interleaved matrix, exact in double.
double InterleavedElement(const WeightView& weight, std::int64_t row, std::int64_t column);

}  // namespace glint::tensor
