// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/router/router.h"

namespace glint::kernels {

// The oracle of router: scores, keys and ids in F32 as the contract has them, the sum of the
// chosen scores and the weights in double.
void RouterReference(const RouterArgs& args);

}  // namespace glint::kernels
