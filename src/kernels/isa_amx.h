// SPDX-License-Identifier: Apache-2.0
// Tiles of Intel AMX for the *_amx.cc files; as isa_vector.h, always inlined. A tile register holds
// up to sixteen rows of 64 bytes.
//
// g++ 12 does not know that its own tile loads read memory, so they are written here.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
#pragma once

#include "kernels/isa_vector.h"

namespace glint::kernels::GLINT_ISA {

constexpr int64_t kTileRows = 16;  // most of one tile

// The shapes of the registers; those that are not named have none.
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

GLINT_ISA_INLINE void SetShape(TileShapes& shapes, int tile, int64_t rows, int64_t row_bytes) {
  shapes.rows[tile] = static_cast<uint8_t>(rows);
  shapes.row_bytes[tile] = static_cast<uint16_t>(row_bytes);
}

// From here on a thread has tiles, all zero, until ReleaseTiles: then the operating system has
// nothing of them to save.
GLINT_ISA_INLINE void ConfigureTiles(const TileShapes& shapes) {
  asm volatile("ldtilecfg %0" : : "m"(shapes));
}
GLINT_ISA_INLINE void ReleaseTiles() { asm volatile("tilerelease"); }

template <int kTile>
GLINT_ISA_INLINE void ZeroTile() {
  asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}

// Rows that lie `stride` bytes apart.
template <int kTile>
GLINT_ISA_INLINE void LoadTile(const void* from, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
GLINT_ISA_INLINE void StoreTile(void* to, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
}

// sum[m][n] += x[m][4 k + i] * codes[k][4 n + i]; x has a sign, and codes as their type says.
template <int kSum, int kX, int kCodes, bool kSigned>
GLINT_ISA_INLINE void AddTileProducts() {
  if constexpr (kSigned) {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kX), "i"(kCodes));
  } else {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kX), "i"(kCodes));
  }
}

// sum[m][n] += a[m][2 k + i] * b[k][2 n + i] of BF16, in F32; subnormal numbers count as zero.
template <int kSum, int kA, int kB>
GLINT_ISA_INLINE void AddTileProductsBf16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
}

// A float as the sum of three BF16 numbers, each in the upper half of its 32 bits: the first eight
// bits of its significand, the next eight and the last. Exact but for what is below the smallest
// normal number. What is not finite is in the first part alone.
struct SplitFloats {
  U32xN parts[3];
};
GLINT_ISA_INLINE SplitFloats SplitInThree(F32xN value) {
  SplitFloats split;
  for (U32xN& part : split.parts) {
    part = (U32xN)value & 0xFFFF0000U;
    value = value - (F32xN)part;
    value = value == value ? value : F32xN{};
  }
  return split;
}

}  // namespace glint::kernels::GLINT_ISA
