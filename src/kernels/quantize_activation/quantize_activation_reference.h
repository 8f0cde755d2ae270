// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/quantize_activation/quantize_activation.h"

namespace glint::kernels {

// The oracle of quantize_activation.
void QuantizeActivationReference(const QuantizeActivationArgs& args);

// One row of it, for the references of operations that quantise what they make: out.columns values
// into row `row` of out.
void QuantizeRowReference(std::span<const float> values, const QuantizedActivation& out,
                          std::int64_t row);

}  // namespace glint::kernels
