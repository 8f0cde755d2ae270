// SPDX-License-Identifier: Apache-2.0
// Whole rows of numbers at a time, with a loop for each format: how weights are read while a model
// is loaded. WeightElement (weight_view.h) and StoreElement (dtype.h) define the results, bit for
// bit.
#pragma once

#include <cstdint>

#include "tensor/weight_view.h"

namespace glint::tensor {

// A whole row, exact in double: [columns]. ReadRow of weight_view.h gives the same in float.
void ReadRowExact(const WeightView& weight, std::int64_t row, double* out);

// `count` elements of an array of F32, F16 or BF16, from `first` on: exact.
void LoadElements(DType dtype, const void* data, std::int64_t first, std::int64_t count,
                  float* out);

// Rounds `count` numbers once each, to the elements of `data` from `first` on. F32, F16, BF16.
void StoreElements(DType dtype, const double* values, std::int64_t count, void* data,
                   std::int64_t first);

}  // namespace glint::tensor
