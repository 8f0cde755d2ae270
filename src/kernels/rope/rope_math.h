// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the rotary embedding that all devices share: the angle, its sine and cosine,
// and which elements form a pair.
//
// Source: arXiv:2104.09864, section 3.4; glm-architecture.md 2.3.
#pragma once

#include <math.h>

#include <cstdint>

#include "kernels/batch_tables.h"
#include "kernels/host_device.h"

namespace glint::kernels {

struct RopeRotation {
  float cosine = 1;
  float sine = 0;
};

// The angle is a float product, as the model was trained: at a position near 10^6 its rounding is
// visible. Sine and cosine are those of that float: taken in double, whose argument reduction is
// full on every device, and rounded once.
GLINT_HD RopeRotation RopeRotationAt(std::int32_t position, float inverse_frequency) {
  const float angle = static_cast<float>(position) * inverse_frequency;
  const auto exact = static_cast<double>(angle);
  RopeRotation rotation;
  rotation.cosine = static_cast<float>(::cos(exact));
  rotation.sine = static_cast<float>(::sin(exact));
  return rotation;
}

// Elements of pair j of the `width` rotated ones: (2j, 2j + 1), or half-split (j, j + width / 2).
GLINT_HD std::int64_t RopeFirst(const RopeView& rope, std::int64_t j) {
  return rope.interleaved ? 2 * j : j;
}
GLINT_HD std::int64_t RopeSecond(const RopeView& rope, std::int64_t j) {
  return rope.interleaved ? 2 * j + 1 : j + rope.width / 2;
}

}  // namespace glint::kernels
