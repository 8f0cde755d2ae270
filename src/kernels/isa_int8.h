// SPDX-License-Identifier: Apache-2.0
// Products of bytes for the *_cpu.cc files, as isa_vector.h. A vector holds four columns of eight
// rows (tensor/interleaved.h), so what is summed over neighbours belongs to one row.
//
// All of it is exact: 16-bit sums are used only where the codes' range proves that they fit.
#pragma once

#include "kernels/isa_vector.h"

namespace glint::kernels::GLINT_ISA {

typedef int8_t I8x32 __attribute__((vector_size(32)));
typedef uint8_t U8x32 __attribute__((vector_size(32)));
typedef int16_t I16x16 __attribute__((vector_size(32)));

// How far the loops over a part's vectors are unrolled. Without instructions for bytes one vector
// is a hundred instructions by itself, and unrolled as well a file takes minutes to compile.
#ifdef __AVX2__
constexpr int kUnroll = 8;
#else
constexpr int kUnroll = 1;
#endif

GLINT_ISA_INLINE U8x32 LoadBytes(const void* from) {
  U8x32 value;
  memcpy(&value, from, sizeof(value));
  return value;
}

// The four bytes at `from`, eight times.
GLINT_ISA_INLINE I8x32 BroadcastFour(const int8_t* from) {
  int32_t four;
  memcpy(&four, from, sizeof(four));
  return (I8x32)(I32x8{} + four);
}

// Products of neighbours, summed in pairs; each sum must fit 16 bits (the instruction saturates).
GLINT_ISA_INLINE I16x16 PairProducts(U8x32 codes, I8x32 x) {
#ifdef __AVX2__
  return (I16x16)_mm256_maddubs_epi16((__m256i)codes, (__m256i)x);
#else
  I16x16 sums;
  for (int i = 0; i < 16; ++i) {
    sums[i] = static_cast<int16_t>(codes[2 * i] * x[2 * i] + codes[2 * i + 1] * x[2 * i + 1]);
  }
  return sums;
#endif
}

// Neighbours multiplied by those of `scales` and summed.
GLINT_ISA_INLINE I32x8 PairSums(I16x16 values, I16x16 scales) {
#ifdef __AVX2__
  return (I32x8)_mm256_madd_epi16((__m256i)values, (__m256i)scales);
#else
  I32x8 sums;
  for (int i = 0; i < 8; ++i) {
    sums[i] = values[2 * i] * scales[2 * i] + values[2 * i + 1] * scales[2 * i + 1];
  }
  return sums;
#endif
}
GLINT_ISA_INLINE I32x8 PairSums(I16x16 values) { return PairSums(values, I16x16{} + 1); }

// |codes|, and x with their signs: the product of the two is that of codes and x.
GLINT_ISA_INLINE U8x32 Magnitude(I8x32 codes) {
#ifdef __AVX2__
  return (U8x32)_mm256_abs_epi8((__m256i)codes);
#else
  return codes < 0 ? 0 - (U8x32)codes : (U8x32)codes;
#endif
}
GLINT_ISA_INLINE I8x32 WithSign(I8x32 x, I8x32 codes) {
#ifdef __AVX2__
  return (I8x32)_mm256_sign_epi8((__m256i)x, (__m256i)codes);
#else
  return (I8x32)(codes < 0 ? 0 - (U8x32)x : (U8x32)x);  // where a code is 0 its magnitude is, too
#endif
}

// Entry table[code] for each code below 16.
GLINT_ISA_INLINE I8x32 LookUp(const int8_t* table, U8x32 codes) {
#ifdef __AVX2__
  __m128i entries;
  memcpy(&entries, table, sizeof(entries));
  return (I8x32)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), (__m256i)codes);
#else
  I8x32 values;
  for (int i = 0; i < 32; ++i) values[i] = table[codes[i]];
  return values;
#endif
}

GLINT_ISA_INLINE F32x8 ToFloat(I32x8 value) { return __builtin_convertvector(value, F32x8); }

GLINT_ISA_INLINE F32x8 BytesToFloat(const uint8_t* from) {
#ifdef __AVX2__
  int64_t bits;
  memcpy(&bits, from, sizeof(bits));
  return ToFloat((I32x8)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bits)));
#else
  F32x8 value;
  for (int i = 0; i < 8; ++i) value[i] = from[i];
  return value;
#endif
}

}  // namespace glint::kernels::GLINT_ISA
