// SPDX-License-Identifier: Apache-2.0
// The rotation, slow and obvious; part of the references of the operations that rotate.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/batch_tables.h"

namespace glint::kernels {

// Rotates values [rope.width] in place: (a, b) -> (a c - b s, b c + a s) for each pair, with c and
// s of RopeRotationAt and products and sums in double.
void RopeReference(const RopeView& rope, std::int32_t position, std::span<double> values);

}  // namespace glint::kernels
