// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/moe/moe.h"

namespace glint::kernels {

// The oracle of moe. Needs no scratch. An id out of range, or an entry that differs from `form`,
// ends the process.
void MoeReference(const MoeArgs& args);

}  // namespace glint::kernels
