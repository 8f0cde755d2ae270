// SPDX-License-Identifier: Apache-2.0
// Products of bytes for the *_cpu.cc files, as isa_vector.h. A vector holds four columns of eight
// rows (tensor/interleaved.h), or of two such groups of eight rows side by side where a register
// has sixteen lanes; so what is summed over neighbours belongs to one row.
//
// All of it is exact: 16-bit sums are used only where the codes' range proves that they fit.
#pragma once

#include "kernels/isa_vector.h"

namespace glint::kernels::GLINT_ISA {

typedef int8_t I8x4N __attribute__((vector_size(4 * kVectorLanes)));
typedef uint8_t U8x4N __attribute__((vector_size(4 * kVectorLanes)));
typedef int16_t I16x2N __attribute__((vector_size(4 * kVectorLanes)));
typedef uint16_t U16x2N __attribute__((vector_size(4 * kVectorLanes)));

// How far the loops over a part's vectors are unrolled. Without instructions for bytes one vector
// is a hundred instructions by itself, and unrolled as well a file takes minutes to compile.
#ifdef __AVX2__
constexpr int kUnroll = 8;
#else
constexpr int kUnroll = 1;
#endif

// Where the bytes of a vector's rows are: those of one group, and so far behind them those of the
// other, where a vector has two.
struct GroupBytes {
  const uint8_t* first;
  int64_t distance;
};
GLINT_ISA_INLINE GroupBytes operator+(GroupBytes at, int64_t bytes) {
  return {at.first + bytes, at.distance};
}

// The floats that kLoad makes of each group's bytes, side by side.
template <auto kLoad>
GLINT_ISA_INLINE F32xN OfGroups(GroupBytes at) {
#ifdef __AVX512F__
  const __m512 one = _mm512_castps256_ps512((__m256)kLoad(at.first));
  return (F32xN)_mm512_insertf32x8(one, (__m256)kLoad(at.first + at.distance), 1);
#else
  return kLoad(at.first);
#endif
}

// 32 bytes of each group.
GLINT_ISA_INLINE U8x4N LoadBytes(GroupBytes from) {
#ifdef __AVX512F__
  __m256i groups[2];
  memcpy(&groups[0], from.first, sizeof(__m256i));
  memcpy(&groups[1], from.first + from.distance, sizeof(__m256i));
  return (U8x4N)_mm512_inserti64x4(_mm512_castsi256_si512(groups[0]), groups[1], 1);
#else
  U8x4N value;
  memcpy(&value, from.first, sizeof(value));
  return value;
#endif
}

// The four bytes at `from`, for each row.
GLINT_ISA_INLINE I8x4N BroadcastFour(const int8_t* from) {
  int32_t four;
  memcpy(&four, from, sizeof(four));
  return (I8x4N)(I32xN{} + four);
}

// Entry table[code] for each code below 16.
GLINT_ISA_INLINE I8x4N LookUp(const int8_t* table, U8x4N codes) {
#ifdef __AVX2__
  __m128i entries;
  memcpy(&entries, table, sizeof(entries));
#ifdef __AVX512BW__
  return (I8x4N)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), (__m512i)codes);
#else
  return (I8x4N)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), (__m256i)codes);
#endif
#else
  I8x4N values;
  for (int i = 0; i < 32; ++i) values[i] = table[codes[i]];
  return values;
#endif
}

// Sums of products over a run of vectors, and how many vectors may be in a run whose largest code
// lets `vectors` of them fit 16 bits. VNNI sums a lane's four products in 32 bits: any number fits.
#ifdef __AVX512VNNI__
typedef I32xN RunSum;
constexpr int64_t RunOf(int64_t) { return 8; }
#else
typedef I16x2N RunSum;
constexpr int64_t RunOf(int64_t vectors) { return vectors; }
#endif

// sum + the products of neighbours, of codes from 0 to 255 or with a sign. Where they are summed in
// pairs, a pair must fit 16 bits (AVX2 saturates). The instructions multiply an unsigned byte by a
// signed one. For codes with a sign AVX2 takes |code| and gives x the code's sign. AVX-512 has no
// such instruction; it takes x + 128, which is one operation as well, and what that adds depends on
// the codes alone: RunOffset has it for all rows of a tile at once.
GLINT_ISA_INLINE RunSum AddProducts(RunSum sum, U8x4N codes, I8x4N x) {
#ifdef __AVX512VNNI__
  return (RunSum)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)codes, (__m512i)x);
#elif defined(__AVX2__)
  return sum + (RunSum)_mm256_maddubs_epi16((__m256i)codes, (__m256i)x);
#else
  for (int i = 0; i < 16; ++i) {
    sum[i] += static_cast<int16_t>(codes[2 * i] * x[2 * i] + codes[2 * i + 1] * x[2 * i + 1]);
  }
  return sum;
#endif
}
GLINT_ISA_INLINE RunSum AddProducts(RunSum sum, I8x4N codes, I8x4N x) {
#ifdef __AVX512VNNI__
  return AddProducts(sum, (U8x4N)x ^ 0x80, codes);
#elif defined(__AVX2__)
  return AddProducts(sum, (U8x4N)_mm256_abs_epi8((__m256i)codes),
                     (I8x4N)_mm256_sign_epi8((__m256i)x, (__m256i)codes));
#else
  const U8x4N magnitude = codes < 0 ? 0 - (U8x4N)codes : (U8x4N)codes;
  return AddProducts(sum, magnitude, (I8x4N)(codes < 0 ? 0 - (U8x4N)x : (U8x4N)x));
#endif
}

// offset + what AddProducts adds beyond the products of `codes`.
GLINT_ISA_INLINE RunSum RunOffset(RunSum offset, U8x4N) { return offset; }
GLINT_ISA_INLINE RunSum RunOffset(RunSum offset, I8x4N codes) {
#ifdef __AVX512VNNI__
  return AddProducts(offset, U8x4N{} + 128, codes);
#else
  (void)codes;
  return offset;
#endif
}

// The sums of a run, a row in each lane.
GLINT_ISA_INLINE I32xN RowSums(RunSum sum) {
#ifdef __AVX512VNNI__
  return sum;
#elif defined(__AVX2__)
  return (I32xN)_mm256_madd_epi16((__m256i)sum, (__m256i)(I16x2N{} + 1));
#else
  I32xN rows;
  for (int i = 0; i < 8; ++i) rows[i] = sum[2 * i] + sum[2 * i + 1];
  return rows;
#endif
}
// The same times a scale of 16 bits for each row.
GLINT_ISA_INLINE I32xN RowSums(RunSum sum, I32xN scale) {
#ifdef __AVX512VNNI__
  return sum * scale;
#elif defined(__AVX2__)
  return (I32xN)_mm256_madd_epi16((__m256i)sum, (__m256i)((scale & 0xFFFF) | (scale << 16)));
#else
  return RowSums(sum) * scale;
#endif
}

GLINT_ISA_INLINE F32xN ToFloat(I32xN value) { return __builtin_convertvector(value, F32xN); }

// A byte of each row, from 0 to 255 or with a sign.
GLINT_ISA_INLINE I32xN UnsignedBytes(GroupBytes from) {
#ifdef __AVX2__
  int64_t bits[2];
  memcpy(&bits[0], from.first, sizeof(int64_t));
#ifdef __AVX512F__
  memcpy(&bits[1], from.first + from.distance, sizeof(int64_t));
  return (I32xN)_mm512_cvtepu8_epi32(_mm_set_epi64x(bits[1], bits[0]));
#else
  return (I32xN)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bits[0]));
#endif
#else
  I32xN value;
  for (int i = 0; i < 8; ++i) value[i] = from.first[i];
  return value;
#endif
}
GLINT_ISA_INLINE I32xN SignedBytes(GroupBytes from) { return (UnsignedBytes(from) ^ 0x80) - 0x80; }

}  // namespace glint::kernels::GLINT_ISA
