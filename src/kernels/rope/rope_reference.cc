// SPDX-License-Identifier: Apache-2.0
#include "kernels/rope/rope_reference.h"

#include "kernels/rope/rope_math.h"

namespace glint::kernels {

void RopeReference(const RopeView& rope, std::int32_t position, std::span<double> values) {
  for (std::int64_t j = 0; j < rope.width / 2; ++j) {
    const RopeRotation rotation = RopeRotationAt(position, rope.inverse_frequency[j]);
    const auto cosine = static_cast<double>(rotation.cosine);
    const auto sine = static_cast<double>(rotation.sine);
    double& first = values[RopeFirst(rope, j)];
    double& second = values[RopeSecond(rope, j)];
    const double a = first;
    const double b = second;
    first = a * cosine - b * sine;
    second = b * cosine + a * sine;
  }
}

}  // namespace glint::kernels
