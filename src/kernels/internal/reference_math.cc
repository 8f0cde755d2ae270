// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/reference_math.h"

#include <algorithm>
#include <cmath>

namespace glint::kernels {

std::vector<double> ReadRow(const Activation& rows, std::int64_t row, std::int64_t column,
                            std::int64_t count) {
  std::vector<double> values(count);
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = tensor::LoadElement(rows.dtype, rows.data, row * rows.stride + column + i);
  }
  return values;
}

void WriteRow(const Activation& rows, std::int64_t row, std::int64_t column,
              std::span<const double> values) {
  std::int64_t at = row * rows.stride + column;
  for (const double value : values) tensor::StoreElement(rows.dtype, rows.data, at++, value);
}

std::vector<double> ReadCache(const CacheView& cache, std::int64_t slot, std::int64_t column,
                              std::int64_t count) {
  std::vector<double> values(count);
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = tensor::LoadElement(cache.dtype, cache.data, slot * cache.width + column + i);
  }
  return values;
}

void WriteCache(const CacheView& cache, std::int64_t slot, std::span<const double> values) {
  std::int64_t at = slot * cache.width;
  for (const double value : values) tensor::StoreElement(cache.dtype, cache.data, at++, value);
}

void RmsNormRow(std::span<double> values, const tensor::WeightView& weight, double epsilon) {
  const double mean = Dot(values, values) / static_cast<double>(values.size());
  const double factor = 1 / std::sqrt(mean + epsilon);
  std::int64_t i = 0;
  for (double& value : values) value *= factor * tensor::WeightElement(weight, i++, 0);
}

double Dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void SoftmaxRow(std::span<double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (double& value : values) value /= sum;
}

}  // namespace glint::kernels
