// SPDX-License-Identifier: Apache-2.0
// embedding: the rows of a step's tokens from the embedding table.
//
// A token slot names an id, or a sample of the step still in flight, so that the next step can be
// launched before the host has seen the sample (design.md section 3, "Step ahead").
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// out[r, :] = table[id(r), :], rounded once to out's dtype. id(r) is tokens[r] when that is >= 0,
// and samples[-1 - tokens[r]] when it is negative; a sample below 0 (a row that could not be
// sampled: its request fails, but the step after it may be under way) counts as id 0.
//
// Nothing is read or written for a padding row. Ids must lie in [0, vocabulary) and sample numbers
// in [0, sample_count): admission and the sampler see to that, no device checks it again (the
// reference does). Nothing may alias. No sums. Moves, per row that is not padding, 4 bytes of slot
// (8 with a sample), one row of the table with its scales, and one row of `out`.
struct EmbeddingArgs {
  // row_count and row_sequence are used; row_sequence null: no row is padding.
  BatchTables tables;
  const std::int32_t* tokens = nullptr;   // [row_count]
  const std::int32_t* samples = nullptr;  // [sample_count]; null when sample_count is 0
  std::int64_t sample_count = 0;
  tensor::WeightView table;  // [vocabulary, hidden], any format
  Activation out;            // [row_count, hidden]
};

// kInvalidArgument: a null pointer, a shape, dtype or stride that does not fit, or shared memory.
Status CheckEmbeddingArgs(const EmbeddingArgs& args);

}  // namespace glint::kernels
