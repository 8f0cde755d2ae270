// SPDX-License-Identifier: Apache-2.0
#include "load/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glint::load {

std::optional<Summary> Summarize(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  Summary out;
  out.count = values.size();
  out.mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.std = std::sqrt(squares / count);
  out.median = Percentile(values, 50);
  out.least = values.front();
  out.most = values.back();
  out.sorted = std::move(values);
  return out;
}

double Percentile(const std::vector<double>& sorted, double percent) {
  const double rank = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  if (low + 1 >= sorted.size()) return sorted.back();
  const double part = rank - static_cast<double>(low);
  return sorted[low] + part * (sorted[low + 1] - sorted[low]);
}

}  // namespace glint::load
