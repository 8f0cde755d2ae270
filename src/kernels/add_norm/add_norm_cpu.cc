// SPDX-License-Identifier: Apache-2.0
#include "kernels/add_norm/add_norm_rows.h"
#include "kernels/isa_dot.h"

namespace glint::kernels::GLINT_ISA {
namespace {

using tensor::DType;

// Eight columns, or the `count` last ones, the others 0.
GLINT_ISA_INLINE F32x8 LoadUpTo(const float* from, int64_t count) {
  return count == 8 ? Load(from) : LoadPart(from, count);
}
GLINT_ISA_INLINE void StoreUpTo(float* to, F32x8 value, int64_t count) {
  if (count == 8) {
    Store(to, value);
  } else {
    StorePart(to, value, count);
  }
}
template <DType kWeight>
GLINT_ISA_INLINE F32x8 LoadWeight(const void* weight, int64_t column, int64_t count) {
  return count == 8 ? LoadAs<kWeight>(weight, column) : LoadPartAs<kWeight>(weight, column, count);
}

// Calls body(column, count) for every eight columns and for the rest.
template <typename Body>
GLINT_ISA_INLINE void ForColumns(int64_t columns, const Body& body) {
  int64_t column = 0;
  for (; column + 8 <= columns; column += 8) body(column, int64_t{8});
  if (column < columns) body(column, columns - column);
}

GLINT_ISA_INLINE F32x8 Branch(const AddNormRows& args, int64_t row, int64_t column, int64_t count) {
  const int64_t at = row * args.part_stride + column;
  F32x8 sum = LoadUpTo(args.parts[0] + at, count);
  for (int64_t i = 1; i < args.part_count; ++i) sum += LoadUpTo(args.parts[i] + at, count);
  return sum;
}

// What a row is multiplied by, from the sum of its squares by lanes.
GLINT_ISA_INLINE float Factor(const AddNormRows& args, F32x8 squares) {
  const float mean = Sum(squares) / static_cast<float>(args.columns);
  return 1.0F / __builtin_sqrtf(mean + args.eps);
}

// residual += norm of the branch; returns the squares of the new residual. The sum of the parts is
// taken twice rather than kept: there is no room for it.
template <DType kBranch>
F32x8 AddNormedBranch(const AddNormRows& args, int64_t row) {
  F32x8 squares = {};
  ForColumns(args.columns, [&](int64_t column, int64_t count) __attribute__((always_inline)) {
    const F32x8 branch = Branch(args, row, column, count);
    squares = MulAdd(branch, branch, squares);
  });
  const F32x8 factor = Splat(Factor(args, squares));
  float* residual = args.residual + row * args.residual_stride;
  squares = F32x8{};
  ForColumns(args.columns, [&](int64_t column, int64_t count) __attribute__((always_inline)) {
    const F32x8 weight = LoadWeight<kBranch>(args.branch_norm, column, count);
    const F32x8 normed = Branch(args, row, column, count) * factor;
    const F32x8 value = MulAdd(normed, weight, LoadUpTo(residual + column, count));
    squares = MulAdd(value, value, squares);
    StoreUpTo(residual + column, value, count);
  });
  return squares;
}

F32x8 AddPlainBranch(const AddNormRows& args, int64_t row) {
  F32x8 squares = {};
  float* residual = args.residual + row * args.residual_stride;
  ForColumns(args.columns, [&](int64_t column, int64_t count) __attribute__((always_inline)) {
    F32x8 value = LoadUpTo(residual + column, count);
    if (args.part_count > 0) {
      value += Branch(args, row, column, count);
      StoreUpTo(residual + column, value, count);
    }
    squares = MulAdd(value, value, squares);
  });
  return squares;
}

F32x8 AddBranch(const AddNormRows& args, int64_t row) {
  if (args.branch_norm == nullptr) return AddPlainBranch(args, row);
  if (args.branch_norm_dtype == DType::kF32) return AddNormedBranch<DType::kF32>(args, row);
  if (args.branch_norm_dtype == DType::kBF16) return AddNormedBranch<DType::kBF16>(args, row);
  return AddNormedBranch<DType::kF16>(args, row);
}

template <DType kWeight>
void WriteNormed(const AddNormRows& args, int64_t row, F32x8 squares) {
  const F32x8 factor = Splat(Factor(args, squares));
  const float* residual = args.residual + row * args.residual_stride;
  float* normed = args.normed + row * args.normed_stride;
  ForColumns(args.columns, [&](int64_t column, int64_t count) __attribute__((always_inline)) {
    const F32x8 weight = LoadWeight<kWeight>(args.weight, column, count);
    StoreUpTo(normed + column, LoadUpTo(residual + column, count) * factor * weight, count);
  });
}

}  // namespace

void RunAddNormRows(const AddNormRows* args) {
  for (int64_t row = 0; row < args->rows; ++row) {
    const F32x8 squares = AddBranch(*args, row);
    if (args->weight_dtype == DType::kF32) {
      WriteNormed<DType::kF32>(*args, row, squares);
    } else if (args->weight_dtype == DType::kBF16) {
      WriteNormed<DType::kBF16>(*args, row, squares);
    } else {
      WriteNormed<DType::kF16>(*args, row, squares);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
