// SPDX-License-Identifier: Apache-2.0
// What decides which positions the indexer selects, shared by all devices: the constants and the
// order of candidates.
#pragma once

#include <math.h>

#include <cstdint>

#include "kernels/host_device.h"

namespace glint::kernels {

// heads^-1/2 and head_dim^-1/2, rounded once.
GLINT_HD float IndexerScale(std::int64_t count) {
  return static_cast<float>(1 / ::sqrt(static_cast<double>(count)));
}

// A total order, so that a running selection over blocks finds the same set whatever the blocks
// are: higher score first, then lower position. A score that is not a number comes last.
GLINT_HD bool IndexerPrefers(double score, std::int64_t position, double other_score,
                             std::int64_t other_position) {
  const bool is_number = score == score;
  const bool other_is_number = other_score == other_score;
  if (is_number != other_is_number) return is_number;
  if (is_number && score != other_score) return score > other_score;
  return position < other_position;
}

}  // namespace glint::kernels
