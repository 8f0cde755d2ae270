// SPDX-License-Identifier: Apache-2.0
// A piece of a linear on the CPU with integer products: some rows of I8 input with some outputs of
// an interleaved weight. moe and mla_absorb are made of the same pieces, with rows that lie apart.
#pragma once

#include <cstdint>

#include "kernels/activation.h"
#include "kernels/isa.h"
#include "tensor/dtype.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

constexpr std::int64_t kBlockTileGroup = 32;   // columns of a scale of the input
constexpr std::int64_t kBlockTileOutputs = 8;  // outputs come in eights

// For r in [0, rows), n in [0, outputs), with the input's value x = q * scale:
//   out[out_row(r), n] = sum over k of x[x_row(r), k] * weight[n, k], plus bias[n]
// Products of 32 columns are summed in integers, then scaled and added in F32, columns ascending:
// the bits of an output element depend on its row of x, its row of the weight and `columns` only.
struct BlockTile {
  const std::int8_t* x = nullptr;
  const float* scales = nullptr;         // a scale for each 32 columns
  const float* sums = nullptr;           // scale * sum of q; for formats with an offset or minimum
  std::int64_t x_stride = 0;             // elements of x; scales and sums have a 32nd of it
  const std::int32_t* x_rows = nullptr;  // [rows]; null: 0, 1, 2, ...
  tensor::WeightFormat format = tensor::WeightFormat::kQ4_0;
  std::int64_t group = 0;                // of kInt4Group
  const void* weight = nullptr;          // interleaved: the first output's eight rows
  const void* channel_scales = nullptr;  // [outputs] of kInt8Channel
  tensor::DType channel_dtype = tensor::DType::kF32;
  const void* bias = nullptr;  // [outputs]; null: none
  tensor::DType bias_dtype = tensor::DType::kF32;
  float* out = nullptr;
  std::int64_t out_stride = 0;             // elements
  const std::int32_t* out_rows = nullptr;  // [rows]; null: 0, 1, 2, ...
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // a multiple of 32, and of the format's block
  std::int64_t outputs = 0;  // a multiple of 8
};

GLINT_ISA_ENTRY(RunBlockTile, BlockTile)
GLINT_AMX_ENTRY(RunBlockTile, BlockTile)

// Outputs that one piece should take, as LinearTileOutputs: a multiple of 32, so
// that a piece of outputs can be quantised where it is made.
std::int64_t BlockTileOutputs(std::int64_t rows, std::int64_t row_bytes);

// Gives the tile its input: the columns of `x` from `column` on, a multiple of its group.
void SetInput(BlockTile& tile, const QuantizedActivation& x, std::int64_t column);

// The outputs [first, first + count) of a weight, a multiple of eight each, as a tile without
// input, output and bias.
BlockTile BlockTileOf(const tensor::WeightView& weight, std::int64_t first, std::int64_t count);

}  // namespace glint::kernels
