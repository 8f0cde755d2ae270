// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/linear_reference.h"

#include "kernels/activation_reference.h"

namespace glint::kernels {

void LinearReference(const LinearArgs& args) {
  for (std::int64_t row = 0; row < args.out.rows; ++row) {
    for (std::int64_t n = 0; n < args.weight.rows; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < args.weight.columns; ++k) {
        const double x = args.x.data != nullptr ? LoadActivation(args.x, row, k)
                                                : LoadActivation(args.quantized_x, row, k);
        sum += x * tensor::WeightElement(args.weight, n, k);
      }
      if (args.bias.data.data != nullptr) sum += args.bias.data.At(n);
      StoreActivation(args.out, row, n, sum);
    }
  }
}

}  // namespace glint::kernels
