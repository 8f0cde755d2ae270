// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_vector.h"
#include "kernels/quantize_activation/quantize_activation_math.h"
#include "kernels/quantize_activation/quantize_rows.h"

namespace glint::kernels::GLINT_ISA {
namespace {

typedef int8_t I8x8 __attribute__((vector_size(8)));

GLINT_ISA_INLINE uint32_t LargestBits(const float* x, int64_t count) {
  U32x8 largest = {};
  for (int64_t i = 0; i < count; i += 8) {
    const U32x8 bits = (U32x8)Load(x + i) & 0x7FFFFFFFU;
    largest = bits > largest ? bits : largest;
  }
  uint32_t most = 0;
  for (int lane = 0; lane < 8; ++lane) most = largest[lane] > most ? largest[lane] : most;
  return most;
}

// Eight values at a time as QuantizeInt8 does one; returns the sum of what it stores.
GLINT_ISA_INLINE int32_t StoreGroup(const float* x, int64_t count, float inverse, int8_t* q) {
  I32x8 sum = {};
  for (int64_t i = 0; i < count; i += 8) {
    F32x8 value = Load(x + i) * inverse;
    value = value < kInt8Limit ? value : Splat(kInt8Limit);
    value = value > -kInt8Limit ? value : Splat(-kInt8Limit);
    const I32x8 code = (I32x8)((U32x8)(value + 12582912.0F) - 0x4B400000U);
    sum += code;
    const I8x8 bytes = __builtin_convertvector(code, I8x8);
    memcpy(q + i, &bytes, sizeof(bytes));
  }
  int32_t total = 0;
  for (int lane = 0; lane < 8; ++lane) total += sum[lane];
  return total;
}

}  // namespace

void RunQuantizeRows(const QuantizeRows* args) {
  const int64_t groups = args->columns / args->group;
  for (int64_t row = 0; row < args->rows; ++row) {
    for (int64_t g = 0; g < groups; ++g) {
      const float* x = args->x + row * args->x_stride + g * args->group;
      int8_t* q = args->q + row * args->columns + g * args->group;
      const GroupScale scale = ScaleOfGroup(LargestBits(x, args->group), kInt8Limit);
      const int32_t sum = StoreGroup(x, args->group, scale.inverse, q);
      args->scales[row * groups + g] = scale.scale;
      if (args->sums != nullptr) {
        args->sums[row * groups + g] = scale.scale * static_cast<float>(sum);
      }
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
