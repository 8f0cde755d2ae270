// SPDX-License-Identifier: Apache-2.0
// Picks a token from each row of logits: greedy or at random, with the usual cuts, under a
// grammar's mask.
//
// Seam: design.md section 3, "Shard" (a rank holds the logits of vocab_offset ...) and "Batch
// invariance" (random numbers keyed by seed and position). Merging the picks of several shards is
// not here.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"

namespace glint::kernels {

// Per row, over the tokens that the mask allows:
//   temperature t > 0, else greedy: the largest logit, at equal logits the lower id
//   1. top_k > 0:     keep the top_k largest logits; at equal logits the lower ids
//   2. top_p in (0, 1): of these, in that order, keep the shortest prefix whose share of
//                     sum exp(logit / t) reaches top_p; top_p <= 0 keeps the first; >= 1 is off
//   3. min_p > 0:     of these keep the tokens with exp((logit - largest) / t) >= min_p
//   The first token in that order is kept always. Of the kept tokens the one with the largest
//   SampleScore (sample_math.h) is picked; at equal scores the lower id.
// So each token has probability softmax(logit / t) over the kept ones, and neither the order of a
// sum nor a neighbour row moves the pick, but for top_p's border. Sums are double in that order,
// or at least fp32.
//
// logprob is log softmax of the row's logits as they are: temperature 1, mask and cuts aside, over
// this shard. A row with a NaN or an infinity among its logits, and a row whose mask allows none,
// gives token -1 and logprob 0: its request fails, the others do not.
//
// Arrays are of the device, their content is not checked: any value means what is said above.
// Bytes moved per row: the logits once or twice, and the mask.
struct SampleArgs {
  Activation logits;  // [rows, vocab_shard] F32; column i is token vocab_offset + i
  std::int64_t vocab_offset = 0;
  const std::int32_t* row_sequence = nullptr;  // [rows], -1: padding, nothing is written; or null
  // [rows, mask_words]: token id is allowed when bit id % 32 of word id / 32 is set, ids counted
  // from 0 of the whole vocabulary. Null: all are allowed.
  const std::uint32_t* mask = nullptr;
  std::int64_t mask_words = 0;             // >= ceil((vocab_offset + vocab_shard) / 32)
  const float* temperature = nullptr;      // [rows]; 0, negative or NaN: greedy
  const std::int32_t* top_k = nullptr;     // [rows]; <= 0: off
  const float* top_p = nullptr;            // [rows]; >= 1 or NaN: off
  const float* min_p = nullptr;            // [rows]; <= 0 or NaN: off
  const std::uint64_t* seed = nullptr;     // [rows]
  const std::int32_t* position = nullptr;  // [rows] logical position of the token to be picked
  std::int32_t* token = nullptr;           // [rows], written
  float* logprob = nullptr;                // [rows], written
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckSampleArgs(const SampleArgs& args);

}  // namespace glint::kernels
