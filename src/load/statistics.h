// SPDX-License-Identifier: Apache-2.0
// Mean, deviation and percentiles of a sample, as NumPy and vLLM compute them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace glint::load {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double std = 0;  // of the population, as numpy.std
  double least = 0;
  double most = 0;
  std::vector<double> sorted;  // for Percentile
};

// nullopt for no values. Values must be finite.
std::optional<Summary> Summarize(std::vector<double> values);

// Linear interpolation between the two nearest ranks (NumPy's default). `percent` 0 to 100.
// `sorted` is not empty.
double Percentile(const std::vector<double>& sorted, double percent);

}  // namespace glint::load
