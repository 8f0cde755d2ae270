// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/add_norm/add_norm.h"

namespace glint::kernels {

// The oracle of add_norm.
void AddNormReference(const AddNormArgs& args);

}  // namespace glint::kernels
