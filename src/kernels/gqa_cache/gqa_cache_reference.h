// SPDX-License-Identifier: Apache-2.0
// gqa_cache, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/gqa_cache/gqa_cache.h"

namespace glint::kernels {

void GqaCacheReference(const GqaCacheArgs& args);

}  // namespace glint::kernels
