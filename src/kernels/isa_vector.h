// SPDX-License-Identifier: Apache-2.0
// Vectors of floats for the *_cpu.cc files, which are compiled once per instruction set with
// GLINT_ISA as their namespace. Written with the compiler's vector extensions: on a CPU with AVX2 a
// vector of eight is one register, on others two; the source and the order of sums are the same.
// Where sixteen fit a register, loops that gain by it take vectors of kVectorLanes (...xN).
//
// Everything here is always inlined: a function that the linker could merge might run on an older
// CPU than the one it was compiled for. No std type and no header of ours but contracts and
// _math.h.
#pragma once

#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifndef GLINT_ISA
#error "isa_vector.h is for *_cpu.cc files, which are built once for each GLINT_ISA"
#endif

#define GLINT_ISA_INLINE [[gnu::always_inline]] static inline

namespace glint::kernels::GLINT_ISA {

typedef float F32x8 __attribute__((vector_size(32)));
typedef int32_t I32x8 __attribute__((vector_size(32)));
typedef uint32_t U32x8 __attribute__((vector_size(32)));
typedef uint16_t U16x8 __attribute__((vector_size(16)));

#ifdef __AVX512F__
constexpr int kVectorLanes = 16;
#else
constexpr int kVectorLanes = 8;
#endif
typedef float F32xN __attribute__((vector_size(4 * kVectorLanes)));
typedef int32_t I32xN __attribute__((vector_size(4 * kVectorLanes)));
typedef uint32_t U32xN __attribute__((vector_size(4 * kVectorLanes)));

// Not `F32x8{} + value`: that addition is done, since it turns -0 into 0.
GLINT_ISA_INLINE F32x8 Splat(float value) { return value - F32x8{}; }
GLINT_ISA_INLINE F32xN SplatN(float value) { return value - F32xN{}; }

GLINT_ISA_INLINE U32x8 Widen(U16x8 value) {
#ifdef __AVX2__  // one instruction, of which g++ 12 makes four
  return (U32x8)_mm256_cvtepu16_epi32((__m128i)value);
#else
  return __builtin_convertvector(value, U32x8);
#endif
}

// Loads need no alignment.
GLINT_ISA_INLINE F32x8 Load(const float* from) {
  F32x8 value;
  memcpy(&value, from, sizeof(value));
  return value;
}
GLINT_ISA_INLINE F32x8 LoadBf16(const uint16_t* from) {
  U16x8 bits;
  memcpy(&bits, from, sizeof(bits));
  return (F32x8)(Widen(bits) << 16);
}
// The first `count` (< 8) elements, the others 0.
GLINT_ISA_INLINE F32x8 LoadPart(const float* from, int64_t count) {
  F32x8 value = {};
  memcpy(&value, from, static_cast<size_t>(count) * sizeof(float));
  return value;
}
GLINT_ISA_INLINE F32x8 LoadPartBf16(const uint16_t* from, int64_t count) {
  U16x8 bits = {};
  memcpy(&bits, from, static_cast<size_t>(count) * sizeof(uint16_t));
  return (F32x8)(Widen(bits) << 16);
}
GLINT_ISA_INLINE void Store(float* to, F32x8 value) { memcpy(to, &value, sizeof(value)); }
GLINT_ISA_INLINE void StorePart(float* to, F32x8 value, int64_t count) {
  memcpy(to, &value, static_cast<size_t>(count) * sizeof(float));
}

// The compiler keeps this value in a register here: it neither repeats its load at every use nor
// makes a tree of a chain of sums, whose leaves would be more than there are registers.
template <typename Vector>
GLINT_ISA_INLINE void KeepInRegister(Vector& value) {
#if defined(__AVX512F__)
  asm("" : "+v"(value));
#elif defined(__AVX2__)
  asm("" : "+x"(value));
#else
  (void)value;
#endif
}

// The eight elements summed in one fixed order.
GLINT_ISA_INLINE float Sum(F32x8 v) {
#ifdef __AVX2__  // g++ takes the elements out one by one
  const __m128 four =
      _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}

}  // namespace glint::kernels::GLINT_ISA
