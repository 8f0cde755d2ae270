// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_dot.h"
#include "kernels/moe/moe_combine.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// Eight columns of a row, or the `count` last ones.
GLINT_ISA_INLINE F32x8 LoadUpTo(const float* from, int64_t count) {
  return count == 8 ? Load(from) : LoadPart(from, count);
}

GLINT_ISA_INLINE void CombineColumns(const MoeCombine& args, int64_t row, int64_t column,
                                     int64_t count) {
  F32x8 sum = {};
  for (int64_t slot = row * args.top_k; slot < (row + 1) * args.top_k; ++slot) {
    if (args.ids[slot] < 0) continue;
    const F32x8 part = LoadUpTo(args.parts + slot * args.columns + column, count);
    sum = MulAdd(Splat(args.weights[slot]), part, sum);
  }
  if (args.addend != nullptr) {
    sum += LoadUpTo(args.addend + row * args.addend_stride + column, count);
  }
  float* out = args.out + row * args.out_stride + column;
  if (count == 8) {
    Store(out, sum);
  } else {
    StorePart(out, sum, count);
  }
}

}  // namespace

void RunMoeCombine(const MoeCombine* args) {
  for (int64_t row = 0; row < args->rows; ++row) {
    int64_t column = 0;
    for (; column + 8 <= args->columns; column += 8) CombineColumns(*args, row, column, 8);
    if (column < args->columns) CombineColumns(*args, row, column, args->columns - column);
  }
}

}  // namespace glint::kernels::GLINT_ISA
