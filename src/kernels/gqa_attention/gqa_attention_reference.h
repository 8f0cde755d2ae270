// SPDX-License-Identifier: Apache-2.0
// gqa_attention, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/gqa_attention/gqa_attention.h"

namespace glint::kernels {

void GqaAttentionReference(const GqaAttentionArgs& args);

}  // namespace glint::kernels
