// SPDX-License-Identifier: Apache-2.0
// A piece of quantize_activation on the CPU: some rows of F32 to I8. moe is made of the same
// pieces, with rows that lie apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/activation.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Row r of x to row r of q, scales and sums. Strides in elements of x and q; those of scales and
// sums are q_stride / group. columns and q_stride are multiples of group, group of 8.
struct QuantizeRows {
  const float* x = nullptr;
  std::int64_t x_stride = 0;
  std::int8_t* q = nullptr;
  std::int64_t q_stride = 0;
  float* scales = nullptr;
  float* sums = nullptr;  // null: none
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t group = 0;
};

GLINT_ISA_ENTRY(RunQuantizeRows, QuantizeRows)

// `count` rows from `first` on, or as many as x has, of F32 to I8.
QuantizeRows QuantizeRowsOf(const Activation& x, const QuantizedActivation& out, std::int64_t first,
                            std::int64_t count);

// Why `operation` cannot write `out` with RunQuantizeRows; empty: it can.
std::string QuantizeFallbackReason(std::string_view operation, const QuantizedActivation& out);

}  // namespace glint::kernels
