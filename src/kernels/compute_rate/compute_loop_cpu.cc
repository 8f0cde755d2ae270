// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_loop.h"
#include "kernels/isa_dot.h"
#include "kernels/isa_int8.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// As many as hide the latency of an instruction and still fit the registers.
constexpr int kChains = 12;

// The compiler may neither drop nor join what it is given here.
template <typename Vector>
GLINT_ISA_INLINE void Keep(Vector& value) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(value));
#elif defined(__AVX2__)
  asm volatile("" : "+x"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

}  // namespace

void RunF32Loop(const ComputeLoop* args) {
  F32xN sums[kChains] = {};
  F32xN factor = SplatN(1e-3F);
  Keep(factor);
  for (int64_t round = 0; round < args->rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      sums[i] = MulAdd(factor, factor, sums[i]);
      Keep(sums[i]);
    }
  }
  *args->operations = int64_t{kChains} * kVectorLanes * 2;
}

void RunInt8Loop(const ComputeLoop* args) {
  RunSum sums[kChains] = {};
  U8x4N codes = U8x4N{} + 3;
  I8x4N x = {};  // or 16-bit sums overflow
  Keep(codes);
  Keep(x);
  for (int64_t round = 0; round < args->rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      sums[i] = AddProducts(sums[i], codes, x);
      Keep(sums[i]);
    }
  }
  *args->operations = int64_t{kChains} * kVectorLanes * 4 * 2;
}

}  // namespace glint::kernels::GLINT_ISA
