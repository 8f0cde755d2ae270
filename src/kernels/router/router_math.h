// SPDX-License-Identifier: Apache-2.0
// The arithmetic that decides which experts are chosen, the same bits on every device.
#pragma once

#include <cstdint>

#include "kernels/exp_math.h"
#include "kernels/host_device.h"

namespace glint::kernels {

// The sum of the chosen scores is kept off zero by this much.
constexpr float kRouterSumGuard = 1e-20F;

GLINT_HD float RouterScore(float logit) { return SigmoidMath(logit); }

GLINT_HD float RouterKey(float score, float bias) {
  const float key = score + bias;
  return key == key ? key : -__builtin_inff();
}

// True when the first of two different experts (or groups) comes before the second.
GLINT_HD bool IsRoutedBefore(float key, std::int64_t id, float other_key, std::int64_t other_id) {
  return key > other_key || (key == other_key && id < other_id);
}

}  // namespace glint::kernels
