// SPDX-License-Identifier: Apache-2.0
// A block's numbers, each rounded once from their exact value: to float, or to double, which holds
// them all.
#pragma once

#include <cstddef>

#include "tensor/weight_view.h"

namespace glint::tensor {

template <typename Out>  // float or double
void DecodeBlockAs(WeightFormat format, const std::byte* block, Out* out);

}  // namespace glint::tensor
