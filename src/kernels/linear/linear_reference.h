// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/linear/linear.h"

namespace glint::kernels {

// The oracle of linear.
void LinearReference(const LinearArgs& args);

}  // namespace glint::kernels
