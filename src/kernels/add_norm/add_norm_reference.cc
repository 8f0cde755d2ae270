// SPDX-License-Identifier: Apache-2.0
#include "kernels/add_norm/add_norm_reference.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/activation_reference.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"

namespace glint::kernels {
namespace {

std::vector<double> LoadRow(const Activation& view, std::int64_t row) {
  std::vector<double> values(static_cast<std::size_t>(view.columns));
  for (std::int64_t column = 0; column < view.columns; ++column) {
    values[static_cast<std::size_t>(column)] = LoadActivation(view, row, column);
  }
  return values;
}

void Normalize(std::vector<double>& values, const tensor::WeightView& weight, double eps) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  const double factor = 1 / std::sqrt(squares / static_cast<double>(values.size()) + eps);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= factor * weight.data.At(static_cast<std::int64_t>(i));
  }
}

void AddBranch(const AddNormArgs& args, std::int64_t row) {
  std::vector<double> branch(static_cast<std::size_t>(args.residual.columns));
  for (std::int64_t part = 0; part < args.part_count; ++part) {
    const std::vector<double> values = LoadRow(AddNormPart(args, part), row);
    for (std::size_t i = 0; i < branch.size(); ++i) branch[i] += values[i];
  }
  if (args.branch_norm_weight.data.data != nullptr) {
    Normalize(branch, args.branch_norm_weight, args.eps);
  }
  for (std::int64_t column = 0; column < args.residual.columns; ++column) {
    StoreActivation(
        args.residual, row, column,
        LoadActivation(args.residual, row, column) + branch[static_cast<std::size_t>(column)]);
  }
}

}  // namespace

void AddNormReference(const AddNormArgs& args) {
  for (std::int64_t row = 0; row < args.residual.rows; ++row) {
    if (args.part_count > 0) AddBranch(args, row);
    std::vector<double> values = LoadRow(args.residual, row);
    Normalize(values, args.weight, args.eps);
    for (std::int64_t column = 0; args.normed.data != nullptr && column < args.residual.columns;
         ++column) {
      StoreActivation(args.normed, row, column, values[static_cast<std::size_t>(column)]);
    }
    if (args.quantized.quantized != nullptr) {
      const std::vector<float> rounded(values.begin(), values.end());
      QuantizeRowReference(rounded, args.quantized, row);
    }
  }
}

}  // namespace glint::kernels
