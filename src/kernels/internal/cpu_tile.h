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
constexpr int64_t kTileTokens = 3;

// dots[j][i] = rows[i] . tokens[j], each in eight lanes over ascending columns, then Sum: its bits
// depend on the two vectors and `width` alone, not on the shape of the tile. Callers fill a tile
// that is not full with a repeated row or token.
template <int64_t kRows, int64_t kTokens, typename Element>
GLINT_ISA_INLINE void DotTile(const float* const* rows, const Element* const* tokens, int64_t width,
                              float (*dots)[kRows]) {
  F32x8 sums[kTokens][kRows];  // cleared one by one: g++ would clear the array in memory
  for (int64_t j = 0; j < kTokens; ++j) {
    for (int64_t i = 0; i < kRows; ++i) sums[j][i] = F32x8{};
  }
  int64_t column = 0;
  for (; column + 8 <= width; column += 8) {
    F32x8 token[kTokens];
    for (int64_t j = 0; j < kTokens; ++j) token[j] = LoadElements(tokens[j] + column);
    for (int64_t i = 0; i < kRows; ++i) {
      F32x8 row = Load(rows[i] + column);
      KeepInRegister(row);
      for (int64_t j = 0; j < kTokens; ++j) sums[j][i] += row * token[j];
    }
  }
  if (column < width) {
    F32x8 token[kTokens];
    for (int64_t j = 0; j < kTokens; ++j) {
      token[j] = LoadElementsPart(tokens[j] + column, width - column);
    }
    for (int64_t i = 0; i < kRows; ++i) {
      const F32x8 row = LoadPart(rows[i] + column, width - column);
      for (int64_t j = 0; j < kTokens; ++j) sums[j][i] += row * token[j];
    }
  }
  for (int64_t j = 0; j < kTokens; ++j) {
    for (int64_t i = 0; i < kRows; ++i) dots[j][i] = Sum(sums[j][i]);
  }
}

}  // namespace glint::kernels::GLINT_ISA
