// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up in F32, the same bits on every device.
#pragma once

#include "kernels/exp_math.h"
#include "kernels/host_device.h"

namespace glint::kernels {

GLINT_HD float SiluMulMath(float gate, float up) { return gate / (1.0F + ExpMath(-gate)) * up; }

}  // namespace glint::kernels
