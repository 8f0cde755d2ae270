// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_dot.h"
#include "kernels/linear/linear_tile.h"

namespace glint::kernels::GLINT_ISA {
namespace {

using tensor::DType;

// What sixteen vector registers hold: for one row many outputs, so that the weights stream in and
// the sums do not wait for each other; for more rows as many sums as fit beside their inputs.
#ifdef __AVX2__
constexpr int kOutputsOfOneRow = 8;
constexpr int64_t kTileRows = 4;
constexpr int kTileOutputs = 3;
#else
constexpr int kOutputsOfOneRow = 4;
constexpr int64_t kTileRows = 2;
constexpr int kTileOutputs = 2;
#endif
// Input that stays in the second-level cache while a piece's weights pass by.
constexpr int64_t kBlockBytes = int64_t{256} * 1024;

GLINT_ISA_INLINE int64_t RowOf(const int32_t* rows, int64_t row) {
  return rows == nullptr ? row : rows[row];
}

template <int kRows, int kOutputs, DType kWeight>
GLINT_ISA_INLINE void Tile(const LinearTile& tile, int64_t row, int64_t output) {
  constexpr int64_t kBytes = kWeight == DType::kF32 ? 4 : 2;
  const float* x[kRows];
  for (int r = 0; r < kRows; ++r) x[r] = tile.x + RowOf(tile.x_rows, row + r) * tile.x_stride;
  float sums[kRows][kOutputs];
  const char* weight = static_cast<const char*>(tile.weight) + output * tile.columns * kBytes;
  DotTile<kRows, kOutputs, kWeight>(x, weight, tile.columns, sums);
  for (int r = 0; r < kRows; ++r) {
    float* out = tile.out + RowOf(tile.out_rows, row + r) * tile.out_stride;
    for (int n = 0; n < kOutputs; ++n) out[output + n] = sums[r][n];
  }
}

// Rows [first, last) with the outputs [output, output + kOutputs).
template <int kOutputs, DType kWeight>
GLINT_ISA_INLINE void TileRows(const LinearTile& tile, int64_t first, int64_t last,
                               int64_t output) {
  static_assert(kTileRows <= 4);  // or the rest is not covered below
  int64_t row = first;
  for (; row + kTileRows <= last; row += kTileRows) {
    Tile<kTileRows, kOutputs, kWeight>(tile, row, output);
  }
  const int64_t rest = last - row;
  if (rest == 3) Tile<3, kOutputs, kWeight>(tile, row, output);
  if (rest == 2) Tile<2, kOutputs, kWeight>(tile, row, output);
  if (rest == 1) Tile<1, kOutputs, kWeight>(tile, row, output);
}

template <DType kWeight>
void OneRow(const LinearTile& tile) {
  int64_t output = 0;
  for (; output + kOutputsOfOneRow <= tile.outputs; output += kOutputsOfOneRow) {
    Tile<1, kOutputsOfOneRow, kWeight>(tile, 0, output);
  }
  for (; output < tile.outputs; ++output) Tile<1, 1, kWeight>(tile, 0, output);
}

template <DType kWeight>
void ManyRows(const LinearTile& tile) {
  int64_t block = kBlockBytes / (tile.columns * 4) / kTileRows * kTileRows;
  if (block < 2 * kTileRows) block = 2 * kTileRows;
  for (int64_t first = 0; first < tile.rows; first += block) {
    const int64_t last = first + block < tile.rows ? first + block : tile.rows;
    int64_t output = 0;
    for (; output + kTileOutputs <= tile.outputs; output += kTileOutputs) {
      TileRows<kTileOutputs, kWeight>(tile, first, last, output);
    }
    for (; output < tile.outputs; ++output) TileRows<1, kWeight>(tile, first, last, output);
  }
}

template <DType kWeight>
GLINT_ISA_INLINE void Run(const LinearTile& tile) {
  if (tile.rows == 1) {
    OneRow<kWeight>(tile);
  } else {
    ManyRows<kWeight>(tile);
  }
}

void AddBias(const LinearTile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    float* out = tile.out + RowOf(tile.out_rows, row) * tile.out_stride;
    for (int64_t n = 0; n < tile.outputs; ++n) out[n] += LoadOne(tile.bias_dtype, tile.bias, n);
  }
}

}  // namespace

void RunLinearTile(const LinearTile* tile) {
  if (tile->weight_dtype == DType::kF32) {
    Run<DType::kF32>(*tile);
  } else if (tile->weight_dtype == DType::kBF16) {
    Run<DType::kBF16>(*tile);
  } else {
    Run<DType::kF16>(*tile);
  }
  if (tile->bias != nullptr) AddBias(*tile);
}

}  // namespace glint::kernels::GLINT_ISA
