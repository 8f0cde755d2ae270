// SPDX-License-Identifier: Apache-2.0
// mla_cache, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/mla_cache/mla_cache.h"

namespace glint::kernels {

void MlaCacheReference(const MlaCacheArgs& args);

}  // namespace glint::kernels
