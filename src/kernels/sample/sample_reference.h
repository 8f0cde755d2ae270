// SPDX-License-Identifier: Apache-2.0
// sample, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/sample/sample.h"

namespace glint::kernels {

void SampleReference(const SampleArgs& args);

}  // namespace glint::kernels
