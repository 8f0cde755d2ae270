// SPDX-License-Identifier: Apache-2.0
// verify_draft, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/verify_draft/verify_draft.h"

namespace glint::kernels {

void VerifyDraftReference(const VerifyDraftArgs& args);

}  // namespace glint::kernels
