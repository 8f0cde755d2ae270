// SPDX-License-Identifier: Apache-2.0
// mla_attention, slow and obvious: the oracle of the other implementations. One head is given in
// double too, so that a test can compare the absorbed form with the naive one without the rounding
// of stored rows.
#pragma once

#include <span>
#include <vector>

#include "kernels/mla_attention/mla_attention.h"

namespace glint::kernels {

// sum of p[t] c[t], [q_latent.size()]. tokens [count, q_latent.size() + q_rope.size()], count > 0.
std::vector<double> MlaAttendHead(std::span<const double> q_latent, std::span<const double> q_rope,
                                  std::span<const double> tokens, double scale);

void MlaAttentionReference(const MlaAttentionArgs& args);

}  // namespace glint::kernels
