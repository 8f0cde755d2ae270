// SPDX-License-Identifier: Apache-2.0
// What the reference implementations share: rows as double, and the sums in double. Slow and
// obvious; allocates. Never for a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// Elements [column, column + count) of a row; writing rounds once to the row's type.
std::vector<double> ReadRow(const Activation& rows, std::int64_t row, std::int64_t column,
                            std::int64_t count);
void WriteRow(const Activation& rows, std::int64_t row, std::int64_t column,
              std::span<const double> values);

// A token of a cache, or its elements [column, column + count).
std::vector<double> ReadCache(const CacheView& cache, std::int64_t slot, std::int64_t column,
                              std::int64_t count);
void WriteCache(const CacheView& cache, std::int64_t slot, std::span<const double> values);

// values[i] = values[i] * weight[i] / sqrt(mean(values^2) + epsilon).
// Source: arXiv:1910.07467, equation 4.
void RmsNormRow(std::span<double> values, const tensor::WeightView& weight, double epsilon);

// sum of a[i] * b[i], ascending.
double Dot(std::span<const double> a, std::span<const double> b);

// exp(values[i] - largest) / sum of them, ascending. Not for an empty span.
void SoftmaxRow(std::span<double> values);

}  // namespace glint::kernels
