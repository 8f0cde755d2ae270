// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation_reference.h"

namespace glint::kernels {

double LoadActivation(const Activation& view, std::int64_t row, std::int64_t column) {
  return tensor::LoadElement(view.dtype, view.data, row * view.stride + column);
}

double LoadActivation(const QuantizedActivation& view, std::int64_t row, std::int64_t column) {
  const std::int64_t groups = view.columns / view.group;
  return tensor::LoadElement(view.dtype, view.quantized, row * view.columns + column) *
         static_cast<double>(view.scales[row * groups + column / view.group]);
}

void StoreActivation(const Activation& view, std::int64_t row, std::int64_t column, double value) {
  tensor::StoreElement(view.dtype, view.data, row * view.stride + column, value);
}

}  // namespace glint::kernels
