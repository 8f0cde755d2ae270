// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_vector.h"
#include "kernels/quantize_activation/quantize_activation_math.h"
#include "kernels/quantize_activation/quantize_rows.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// What the loops below have in hand at once: four vectors.
constexpr int64_t kSpan = 32;

GLINT_ISA_INLINE uint32_t LargestLane(U32x8 value) {
#ifdef __AVX2__  // g++ takes the lanes out one by one
  const __m256i all = (__m256i)value;
  __m128i most = _mm_max_epu32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0x4E));
  most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0xB1));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(most));
#else
  uint32_t most = 0;
  for (int lane = 0; lane < 8; ++lane) most = value[lane] > most ? value[lane] : most;
  return most;
#endif
}

GLINT_ISA_INLINE int32_t SumOfLanes(I32x8 value) {
#ifdef __AVX2__
  const __m256i all = (__m256i)value;
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
  return _mm_cvtsi128_si32(sum);
#else
  int32_t sum = 0;
  for (int lane = 0; lane < 8; ++lane) sum += value[lane];
  return sum;
#endif
}

// Numbers of [-128, 127] as bytes.
GLINT_ISA_INLINE void StoreBytes(int8_t* to, const I32x8* values, int64_t vectors) {
#ifdef __AVX2__
  if (vectors == 4) {
    const __m256i low = _mm256_packs_epi32((__m256i)values[0], (__m256i)values[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)values[2], (__m256i)values[3]);
    // Packing goes by halves of a register: 32 bits of each in turn.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
    memcpy(to, &bytes, sizeof(bytes));
    return;
  }
#endif
  typedef int8_t I8x8 __attribute__((vector_size(8)));
  for (int64_t v = 0; v < vectors; ++v) {
    const I8x8 bytes = __builtin_convertvector(values[v], I8x8);
    memcpy(to + 8 * v, &bytes, sizeof(bytes));
  }
}

GLINT_ISA_INLINE U32x8 LargestBits(const float* x, int64_t vectors) {
  U32x8 largest = {};
  for (int64_t v = 0; v < vectors; ++v) {
    const U32x8 bits = (U32x8)Load(x + 8 * v) & 0x7FFFFFFFU;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

// Eight values at a time as QuantizeInt8 does one; returns the sums of what it stores.
GLINT_ISA_INLINE I32x8 StoreCodes(const float* x, int64_t vectors, float inverse, int8_t* q) {
  I32x8 codes[kSpan / 8];
  I32x8 sum = {};
  for (int64_t v = 0; v < vectors; ++v) {
    F32x8 value = Load(x + 8 * v) * Splat(inverse);
    value = value < kInt8Limit ? value : Splat(kInt8Limit);
    value = value > -kInt8Limit ? value : Splat(-kInt8Limit);
    codes[v] = (I32x8)((U32x8)(value + 12582912.0F) - 0x4B400000U);
    sum += codes[v];
  }
  StoreBytes(q, codes, vectors);
  return sum;
}

// One group of `count` columns.
GLINT_ISA_INLINE void QuantizeGroup(const float* x, int64_t count, int8_t* q, float* scale,
                                    float* scaled_sum) {
  U32x8 largest = {};
  int64_t i = 0;
  for (; i + kSpan <= count; i += kSpan) {
    const U32x8 bits = LargestBits(x + i, kSpan / 8);
    largest = bits > largest ? bits : largest;
  }
  const U32x8 rest = LargestBits(x + i, (count - i) / 8);
  const GroupScale group = ScaleOfGroup(LargestLane(rest > largest ? rest : largest), kInt8Limit);
  I32x8 sum = {};
  for (i = 0; i + kSpan <= count; i += kSpan) {
    sum += StoreCodes(x + i, kSpan / 8, group.inverse, q + i);
  }
  sum += StoreCodes(x + i, (count - i) / 8, group.inverse, q + i);
  *scale = group.scale;
  if (scaled_sum != nullptr) {
    *scaled_sum = group.scale * static_cast<float>(SumOfLanes(sum));
  }
}

}  // namespace

void RunQuantizeRows(const QuantizeRows* args) {
  const int64_t groups = args->columns / args->group;
  const int64_t scale_stride = args->q_stride / args->group;
  for (int64_t row = 0; row < args->rows; ++row) {
    const float* x = args->x + row * args->x_stride;
    int8_t* q = args->q + row * args->q_stride;
    float* scales = args->scales + row * scale_stride;
    float* sums = args->sums == nullptr ? nullptr : args->sums + row * scale_stride;
    for (int64_t g = 0; g < groups; ++g) {
      float* sum = sums == nullptr ? nullptr : sums + g;
      if (args->group == kSpan) {
        QuantizeGroup(x + g * kSpan, kSpan, q + g * kSpan, scales + g, sum);
      } else {
        QuantizeGroup(x + g * args->group, args->group, q + g * args->group, scales + g, sum);
      }
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
