// SPDX-License-Identifier: Apache-2.0
// Element access to activations for the reference implementations: exact in double, slow.
#pragma once

#include <cstdint>

#include "kernels/activation.h"

namespace glint::kernels {

double LoadActivation(const Activation& view, std::int64_t row, std::int64_t column);

// q * scale, exact.
double LoadActivation(const QuantizedActivation& view, std::int64_t row, std::int64_t column);

// Rounds once, to the view's dtype.
void StoreActivation(const Activation& view, std::int64_t row, std::int64_t column, double value);

}  // namespace glint::kernels
