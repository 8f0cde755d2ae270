// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_loop.h"
#include "kernels/isa_dot.h"
#include "kernels/isa_int8.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// As many as hide the latency of an instruction and still fit 16 registers.
constexpr int kChains = 12;

// The compiler may neither drop nor join what it is given here.
template <typename Vector>
GLINT_ISA_INLINE void Keep(Vector& value) {
#ifdef __AVX2__
  asm volatile("" : "+x"(value));
#else
  asm volatile("" : "+m"(value));
#endif
}

}  // namespace

void RunF32Loop(const ComputeLoop* args) {
  F32x8 sums[kChains] = {};
  F32x8 factor = Splat(1e-3F);
  Keep(factor);
  for (int64_t round = 0; round < args->rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      sums[i] = MulAdd(factor, factor, sums[i]);
      Keep(sums[i]);
    }
  }
  *args->operations = int64_t{kChains} * 8 * 2;
}

void RunInt8Loop(const ComputeLoop* args) {
  I16x16 sums[kChains] = {};
  U8x32 codes = U8x32{} + 3;
  I8x32 x = I8x32{} + 5;
  Keep(codes);
  Keep(x);
  for (int64_t round = 0; round < args->rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      I16x16 products = PairProducts(codes, x);
      Keep(products);
      sums[i] += products;
      Keep(sums[i]);
    }
  }
  *args->operations = int64_t{kChains} * 32 * 2;
}

}  // namespace glint::kernels::GLINT_ISA
