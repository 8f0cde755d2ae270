// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/embedding/embedding.h"

namespace glint::kernels {

// The oracle of embedding. An id or sample number out of its range ends the process.
void EmbeddingReference(const EmbeddingArgs& args);

}  // namespace glint::kernels
