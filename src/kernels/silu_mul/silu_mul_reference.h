// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/silu_mul/silu_mul.h"

namespace glint::kernels {

// The oracle of silu_mul.
void SiluMulReference(const SiluMulArgs& args);

// The formula in double.
double SiluMulExact(double gate, double up);

}  // namespace glint::kernels
