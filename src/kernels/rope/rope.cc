// SPDX-License-Identifier: Apache-2.0
#include "kernels/rope/rope.h"

#include <cmath>

#include "base/check.h"
#include "base/format.h"

namespace glint::kernels {

void FillInverseFrequency(float theta, std::int64_t width, float* out) {
  GLINT_CHECK(theta > 0, format("rope: theta is {}, must be > 0", theta));
  GLINT_CHECK(width > 0 && width % 2 == 0,
              format("rope: width is {}, must be even and > 0", width));
  for (std::int64_t j = 0; j < width / 2; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(width);
    // The power in double, rounded: the nearest float, where powf may be one step off.
    const auto power =
        static_cast<float>(std::pow(static_cast<double>(theta), static_cast<double>(exponent)));
    out[j] = 1.0F / power;
  }
}

}  // namespace glint::kernels
