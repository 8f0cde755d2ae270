// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/cpu_tile.h"
#include "kernels/mla_absorb/mla_absorb_piece.h"

namespace glint::kernels::GLINT_ISA {

// The rows of a piece that are not padding; the last is repeated up to a multiple of kTileRows.
struct TileRows {
  const float* input[kAbsorbTileRows];
  float* output[kAbsorbTileRows];
  int64_t count;
};
static_assert(kAbsorbTileRows % kTileRows == 0);

GLINT_ISA_INLINE void FindRows(const MlaAbsorbPiece& piece, TileRows& rows) {
  rows.count = 0;
  for (int64_t row = piece.first_row; row < piece.first_row + piece.row_count; ++row) {
    if (piece.row_sequence[row] < 0) continue;
    rows.input[rows.count] = piece.input + row * piece.input_stride;
    rows.output[rows.count++] = piece.output + row * piece.output_stride;
  }
  for (; rows.count > 0 && rows.count % kTileRows != 0; ++rows.count) {
    rows.input[rows.count] = rows.input[rows.count - 1];
    rows.output[rows.count] = rows.output[rows.count - 1];
  }
}

// Columns [column, column + 16) of kTileRows rows: sums over the weight's rows, ascending.
template <typename Element>
GLINT_ISA_INLINE void AbsorbWide(const MlaAbsorbPiece& piece, const TileRows& rows, int64_t first,
                                 int64_t column) {
  const auto* weights = static_cast<const Element*>(piece.weights) + column;
  F32x8 sums[kTileRows][2] = {};
  for (int64_t n = 0; n < piece.weight_rows; ++n, weights += piece.kv_lora) {
    const F32x8 left = LoadElements(weights);
    const F32x8 right = LoadElements(weights + 8);
    for (int64_t i = 0; i < kTileRows; ++i) {
      const F32x8 query = Broadcast(rows.input[first + i][n]);
      sums[i][0] += query * left;
      sums[i][1] += query * right;
    }
  }
  for (int64_t i = 0; i < kTileRows; ++i) {
    Store(rows.output[first + i] + column, sums[i][0]);
    Store(rows.output[first + i] + column + 8, sums[i][1]);
  }
}

// The same for `width` <= 8 columns.
template <typename Element>
GLINT_ISA_INLINE void AbsorbNarrow(const MlaAbsorbPiece& piece, const TileRows& rows, int64_t first,
                                   int64_t column, int64_t width) {
  const auto* weights = static_cast<const Element*>(piece.weights) + column;
  F32x8 sums[kTileRows] = {};
  for (int64_t n = 0; n < piece.weight_rows; ++n, weights += piece.kv_lora) {
    const F32x8 weight = LoadElementsPart(weights, width);
    for (int64_t i = 0; i < kTileRows; ++i) sums[i] += Broadcast(rows.input[first + i][n]) * weight;
  }
  for (int64_t i = 0; i < kTileRows; ++i) {
    StorePart(rows.output[first + i] + column, sums[i], width);
  }
}

template <typename Element>
GLINT_ISA_INLINE void Absorb(const MlaAbsorbPiece& piece) {
  TileRows rows;
  FindRows(piece, rows);
  int64_t column = 0;
  for (; column + 16 <= piece.kv_lora; column += 16) {
    for (int64_t first = 0; first < rows.count; first += kTileRows) {
      AbsorbWide<Element>(piece, rows, first, column);
    }
  }
  for (; column < piece.kv_lora; column += 8) {
    const int64_t width = piece.kv_lora - column < 8 ? piece.kv_lora - column : 8;
    for (int64_t first = 0; first < rows.count; first += kTileRows) {
      AbsorbNarrow<Element>(piece, rows, first, column, width);
    }
  }
}

template <typename Element>
GLINT_ISA_INLINE void Expand(const MlaAbsorbPiece& piece) {
  TileRows rows;
  FindRows(piece, rows);
  const auto* weights = static_cast<const Element*>(piece.weights);
  for (int64_t value = 0; value < piece.weight_rows; value += kTileTokens) {
    const int64_t other = value + 1 < piece.weight_rows ? value + 1 : value;
    const Element* tile[kTileTokens] = {weights + value * piece.kv_lora,
                                        weights + other * piece.kv_lora};
    for (int64_t first = 0; first < rows.count; first += kTileRows) {
      float dots[kTileTokens][kTileRows];
      DotTile(rows.input + first, tile, piece.kv_lora, dots);
      for (int64_t i = 0; i < kTileRows; ++i) {
        rows.output[first + i][other] = dots[1][i];
        rows.output[first + i][value] = dots[0][i];
      }
    }
  }
}

void MlaAbsorbQueryHead(const MlaAbsorbPiece* args) {
  if (args->bf16) {
    Absorb<uint16_t>(*args);
  } else {
    Absorb<float>(*args);
  }
}

void MlaExpandValueHead(const MlaAbsorbPiece* args) {
  if (args->bf16) {
    Expand<uint16_t>(*args);
  } else {
    Expand<float>(*args);
  }
}

}  // namespace glint::kernels::GLINT_ISA
