// SPDX-License-Identifier: Apache-2.0
// router: which experts a row goes to, and with what weight.
//
// Source: glm-architecture.md 2.9 (DeepSeek-V3 routing). Selection is by biased score, weights are
// of the unbiased one: the bias is large (about 11) and nearly constant, so recovering the score
// by subtraction gives 0 / 0, and rounding the bias to BF16 makes hundreds of experts equal.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"

namespace glint::kernels {

// Per row, in F32, with router_math.h, so that the ids are the same on every device:
//   s      = sigmoid(logits)
//   key    = s + bias; a NaN counts as -infinity, so that ids are always in range and distinct
//   groups : when group_count > 1, only the group_top_k groups with the largest sum of their two
//            largest keys remain; among equal sums the lower group
//   ids    = the top_k largest keys, descending; among equal keys the lower id
//   weight = s[id] / (sum of s[ids] in slot order + 1e-20) * scaling; without `normalize` s *
//   scaling
//
// A padding row gets ids -1 and weights 0, so that moe does no work for it; its logits are not
// read. Nothing may alias. Error of a weight: (top_k + 4) * 2^-24 relative. Moves, per row,
// 4 bytes per expert and 8 per slot; the bias once in all.
struct RouterArgs {
  Activation logits;                           // [rows, experts] F32
  const float* bias = nullptr;                 // [experts] e_score_correction_bias; null: none
  const std::int32_t* row_sequence = nullptr;  // [rows] -1: padding; null: no row is padding
  std::int64_t top_k = 0;                      // num_experts_per_tok
  std::int64_t group_count = 1;                // n_group, divides experts
  std::int64_t group_top_k = 1;                // topk_group
  bool normalize = true;                       // norm_topk_prob
  float scaling = 1;                           // routed_scaling_factor
  std::int32_t* expert_ids = nullptr;          // out [rows, top_k]
  float* expert_weights = nullptr;             // out [rows, top_k]
};

// kInvalidArgument: a null pointer, logits that are not F32, a count that does not fit, or shared
// memory.
Status CheckRouterArgs(const RouterArgs& args);

}  // namespace glint::kernels
