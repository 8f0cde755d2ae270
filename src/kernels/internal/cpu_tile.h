// SPDX-License-Identifier: Apache-2.0
// For *_cpu.cc files: elements stored as F32 or BF16 (as their bits), and the tile of dot products
// that attention, indexer and value expansion share.
#pragma once

#include "kernels/isa_vector.h"

namespace glint::kernels::GLINT_ISA {

GLINT_ISA_INLINE F32x8 LoadElements(const float* from) { return Load(from); }
GLINT_ISA_INLINE F32x8 LoadElements(const uint16_t* from) { return LoadBf16(from); }
GLINT_ISA_INLINE F32x8 LoadElementsPart(const float* from, int64_t count) {
  return LoadPart(from, count);
}
GLINT_ISA_INLINE F32x8 LoadElementsPart(const uint16_t* from, int64_t count) {
  return LoadPartBf16(from, count);
}

// Eight copies. Without AVX the compiler would build a vector of eight in memory, element by
// element; so it gets two halves.
GLINT_ISA_INLINE F32x8 Broadcast(float value) {
#ifdef __AVX2__
  return F32x8{value, value, value, value, value, value, value, value};
#else
  typedef float F32x4 __attribute__((vector_size(16)));
  const F32x4 halves[2] = {{value, value, value, value}, {value, value, value, value}};
  F32x8 whole;
  memcpy(&whole, halves, sizeof(whole));
  return whole;
#endif
}

// Rows on either side of one tile.
constexpr int64_t kTileRows = 4;
constexpr int64_t kTileTokens = 2;

// dots[j][i] = rows[i] . tokens[j], each in eight lanes over ascending columns, then Sum: its bits
// depend on the two vectors and `width` alone. Callers fill a tile that is not full with a repeated
// row or token, so that there is one piece of code for all.
template <typename Element>
GLINT_ISA_INLINE void DotTile(const float* const* rows, const Element* const* tokens, int64_t width,
                              float (*dots)[kTileRows]) {
  F32x8 sums[kTileTokens][kTileRows] = {};
  int64_t column = 0;
  for (; column + 8 <= width; column += 8) {
    const F32x8 first = LoadElements(tokens[0] + column);
    const F32x8 second = LoadElements(tokens[1] + column);
    for (int64_t i = 0; i < kTileRows; ++i) {
      const F32x8 row = Load(rows[i] + column);
      sums[0][i] += row * first;
      sums[1][i] += row * second;
    }
  }
  if (column < width) {
    const F32x8 first = LoadElementsPart(tokens[0] + column, width - column);
    const F32x8 second = LoadElementsPart(tokens[1] + column, width - column);
    for (int64_t i = 0; i < kTileRows; ++i) {
      const F32x8 row = LoadPart(rows[i] + column, width - column);
      sums[0][i] += row * first;
      sums[1][i] += row * second;
    }
  }
  for (int64_t j = 0; j < kTileTokens; ++j) {
    for (int64_t i = 0; i < kTileRows; ++i) dots[j][i] = Sum(sums[j][i]);
  }
}

}  // namespace glint::kernels::GLINT_ISA
