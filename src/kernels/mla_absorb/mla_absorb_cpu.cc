// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/cpu_tile.h"
#include "kernels/mla_absorb/mla_absorb_piece.h"

namespace glint::kernels::GLINT_ISA {

// The rows of a piece that are not padding; where there are several, the last is repeated up to a
// multiple of kTileRows.
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
  for (; rows.count > 1 && rows.count % kTileRows != 0; ++rows.count) {
    rows.input[rows.count] = rows.input[rows.count - 1];
    rows.output[rows.count] = rows.output[rows.count - 1];
  }
}

// The next kVectors * 8 columns of all rows, while there are as many: sums over the weight's rows,
// ascending, whatever the shape of the tile. Returns the first column that is left.
template <int64_t kRows, int64_t kVectors, typename Element>
GLINT_ISA_INLINE int64_t AbsorbColumns(const MlaAbsorbPiece& piece, const TileRows& rows,
                                       int64_t column) {
  for (; column + kVectors * 8 <= piece.kv_lora; column += kVectors * 8) {
    for (int64_t first = 0; first < rows.count; first += kRows) {
      const auto* weights = static_cast<const Element*>(piece.weights) + column;
      F32x8 sums[kRows][kVectors] = {};
      for (int64_t n = 0; n < piece.weight_rows; ++n, weights += piece.kv_lora) {
        F32x8 weight[kVectors];
        for (int64_t v = 0; v < kVectors; ++v) weight[v] = LoadElements(weights + v * 8);
        for (int64_t i = 0; i < kRows; ++i) {
          const F32x8 query = Broadcast(rows.input[first + i][n]);
          for (int64_t v = 0; v < kVectors; ++v) sums[i][v] += query * weight[v];
        }
      }
      for (int64_t i = 0; i < kRows; ++i) {
        float* to = rows.output[first + i] + column;
        for (int64_t v = 0; v < kVectors; ++v) Store(to + v * 8, sums[i][v]);
      }
    }
  }
  return column;
}

// The last columns, fewer than 8.
template <int64_t kRows, typename Element>
GLINT_ISA_INLINE void AbsorbLast(const MlaAbsorbPiece& piece, const TileRows& rows,
                                 int64_t column) {
  const int64_t width = piece.kv_lora - column;
  if (width == 0) return;
  for (int64_t first = 0; first < rows.count; first += kRows) {
    const auto* weights = static_cast<const Element*>(piece.weights) + column;
    F32x8 sums[kRows] = {};
    for (int64_t n = 0; n < piece.weight_rows; ++n, weights += piece.kv_lora) {
      const F32x8 weight = LoadElementsPart(weights, width);
      for (int64_t i = 0; i < kRows; ++i) {
        sums[i] += Broadcast(rows.input[first + i][n]) * weight;
      }
    }
    for (int64_t i = 0; i < kRows; ++i) {
      StorePart(rows.output[first + i] + column, sums[i], width);
    }
  }
}

template <typename Element>
GLINT_ISA_INLINE void Absorb(const MlaAbsorbPiece& piece) {
  TileRows rows;
  FindRows(piece, rows);
  if (rows.count == 1) {
    int64_t column = AbsorbColumns<1, 8, Element>(piece, rows, 0);
    column = AbsorbColumns<1, 1, Element>(piece, rows, column);
    AbsorbLast<1, Element>(piece, rows, column);
  } else {
    int64_t column = AbsorbColumns<kTileRows, 2, Element>(piece, rows, 0);
    column = AbsorbColumns<kTileRows, 1, Element>(piece, rows, column);
    AbsorbLast<kTileRows, Element>(piece, rows, column);
  }
}

template <int64_t kRows, int64_t kValues, typename Element>
GLINT_ISA_INLINE void ExpandRows(const MlaAbsorbPiece& piece, const TileRows& rows) {
  const auto* weights = static_cast<const Element*>(piece.weights);
  for (int64_t value = 0; value < piece.weight_rows; value += kValues) {
    const Element* tile[kValues];
    int64_t at[kValues];
    for (int64_t j = 0; j < kValues; ++j) {
      at[j] = value + j < piece.weight_rows ? value + j : piece.weight_rows - 1;
      tile[j] = weights + at[j] * piece.kv_lora;
    }
    for (int64_t first = 0; first < rows.count; first += kRows) {
      float dots[kValues][kRows];
      DotTile<kRows, kValues>(rows.input + first, tile, piece.kv_lora, dots);
      for (int64_t i = 0; i < kRows; ++i) {
        for (int64_t j = 0; j < kValues; ++j) rows.output[first + i][at[j]] = dots[j][i];
      }
    }
  }
}

template <typename Element>
GLINT_ISA_INLINE void Expand(const MlaAbsorbPiece& piece) {
  TileRows rows;
  FindRows(piece, rows);
  if (rows.count == 1) {
    ExpandRows<1, 8, Element>(piece, rows);
  } else {
    ExpandRows<kTileRows, kTileTokens, Element>(piece, rows);
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
