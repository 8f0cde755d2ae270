// SPDX-License-Identifier: Apache-2.0
// Dot products of F32 rows with plain weight rows, for the *_cpu.cc files; as isa_vector.h, always
// inlined and without std types.
//
// One accumulator of eight lanes per (row, output), columns ascending, the last ones padded with
// zeros, then Sum: the bits depend on the columns and the weight's dtype only, not on the tile.
#pragma once

#include "kernels/isa_vector.h"
#include "tensor/dtype.h"

namespace glint::kernels::GLINT_ISA {

// a * b + c, one rounding where the CPU has it. Written out, so that no tile is contracted in
// another way than its neighbour.
GLINT_ISA_INLINE F32x8 MulAdd(F32x8 a, F32x8 b, F32x8 c) {
#ifdef __FMA__
  return (F32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

#ifdef __AVX512F__
GLINT_ISA_INLINE F32xN MulAdd(F32xN a, F32xN b, F32xN c) {
  return (F32xN)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#endif

// Binary16 to F32, exact: the exponent is moved by a product, which also normalises subnormals.
GLINT_ISA_INLINE F32x8 WidenF16(U16x8 half) {
#ifdef __F16C__
  return (F32x8)_mm256_cvtph_ps((__m128i)half);
#endif
  const U32x8 bits = Widen(half);
  const F32x8 value = (F32x8)((bits & 0x7FFFU) << 13) * 0x1p112F;
  const U32x8 is_special = (U32x8)((bits & 0x7C00U) == 0x7C00U);  // infinity or NaN
  return (F32x8)((U32x8)value | (is_special & 0x7F800000U) | ((bits & 0x8000U) << 16));
}

GLINT_ISA_INLINE F32x8 LoadF16(const uint16_t* from) {
  U16x8 bits;
  memcpy(&bits, from, sizeof(bits));
  return WidenF16(bits);
}
GLINT_ISA_INLINE F32x8 LoadPartF16(const uint16_t* from, int64_t count) {
  U16x8 bits = {};
  memcpy(&bits, from, static_cast<size_t>(count) * sizeof(uint16_t));
  return WidenF16(bits);
}

// Eight elements of an F32, BF16 or F16 array from `index` on, or the first `count` (< 8) of them.
template <tensor::DType kType>
GLINT_ISA_INLINE F32x8 LoadAs(const void* array, int64_t index) {
  if constexpr (kType == tensor::DType::kF32) {
    return Load(static_cast<const float*>(array) + index);
  } else if constexpr (kType == tensor::DType::kBF16) {
    return LoadBf16(static_cast<const uint16_t*>(array) + index);
  } else {
    return LoadF16(static_cast<const uint16_t*>(array) + index);
  }
}
template <tensor::DType kType>
GLINT_ISA_INLINE F32x8 LoadPartAs(const void* array, int64_t index, int64_t count) {
  if constexpr (kType == tensor::DType::kF32) {
    return LoadPart(static_cast<const float*>(array) + index, count);
  } else if constexpr (kType == tensor::DType::kBF16) {
    return LoadPartBf16(static_cast<const uint16_t*>(array) + index, count);
  } else {
    return LoadPartF16(static_cast<const uint16_t*>(array) + index, count);
  }
}

// One element; not for inner loops.
GLINT_ISA_INLINE float LoadOne(tensor::DType dtype, const void* array, int64_t index) {
  if (dtype == tensor::DType::kF32) return LoadPartAs<tensor::DType::kF32>(array, index, 1)[0];
  if (dtype == tensor::DType::kBF16) return LoadPartAs<tensor::DType::kBF16>(array, index, 1)[0];
  return LoadPartAs<tensor::DType::kF16>(array, index, 1)[0];
}

// sums[r][n] = the dot product of x[r] and row n of the weight rows at `weight`, which follow each
// other after `columns` elements.
template <int kRows, int kOutputs, tensor::DType kWeight>
GLINT_ISA_INLINE void DotTile(const float* const* x, const char* weight, int64_t columns,
                              float (*sums)[kOutputs]) {
  constexpr int64_t kBytes = kWeight == tensor::DType::kF32 ? 4 : 2;
  F32x8 total[kRows][kOutputs] = {};
  int64_t k = 0;
  for (; k + 8 <= columns; k += 8) {
    F32x8 w[kOutputs];
    // The same place in the next tile's rows: hardware stops fetching ahead at the end of each
    // page, and a row is few of them. Past the last row a prefetch does nothing.
#pragma GCC unroll 8
    for (int n = 0; n < kOutputs; ++n) {
      __builtin_prefetch(weight + ((n + kOutputs) * columns + k) * kBytes, 0, 2);
    }
#pragma GCC unroll 8
    for (int n = 0; n < kOutputs; ++n) w[n] = LoadAs<kWeight>(weight + n * columns * kBytes, k);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const F32x8 row = Load(x[r] + k);
#pragma GCC unroll 8
      for (int n = 0; n < kOutputs; ++n) total[r][n] = MulAdd(row, w[n], total[r][n]);
    }
  }
  const int64_t rest = columns - k;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int n = 0; n < kOutputs; ++n) {
      if (rest != 0) {
        const F32x8 last = LoadPartAs<kWeight>(weight + n * columns * kBytes, k, rest);
        total[r][n] = MulAdd(LoadPart(x[r] + k, rest), last, total[r][n]);
      }
      sums[r][n] = Sum(total[r][n]);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
