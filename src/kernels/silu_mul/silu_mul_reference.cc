// SPDX-License-Identifier: Apache-2.0
#include "kernels/silu_mul/silu_mul_reference.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/activation_reference.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"

namespace glint::kernels {

double SiluMulExact(double gate, double up) { return gate / (1.0 + std::exp(-gate)) * up; }

void SiluMulReference(const SiluMulArgs& args) {
  std::vector<float> values(static_cast<std::size_t>(args.gate.columns));
  for (std::int64_t row = 0; row < args.gate.rows; ++row) {
    for (std::int64_t column = 0; column < args.gate.columns; ++column) {
      const double value = SiluMulExact(LoadActivation(args.gate, row, column),
                                        LoadActivation(args.up, row, column));
      values[static_cast<std::size_t>(column)] = static_cast<float>(value);
      if (args.out.data != nullptr) StoreActivation(args.out, row, column, value);
    }
    if (args.quantized.quantized != nullptr) QuantizeRowReference(values, args.quantized, row);
  }
}

}  // namespace glint::kernels
