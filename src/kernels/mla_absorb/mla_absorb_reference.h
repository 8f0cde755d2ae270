// SPDX-License-Identifier: Apache-2.0
// mla_absorb_query and mla_expand_value, slow and obvious: the oracle of the other
// implementations. The products of one head are given in double too, so that a test can compare
// the absorbed form with the naive one without the rounding of stored rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mla_absorb/mla_absorb.h"

namespace glint::kernels {

// UK[h]^T q_nope, [kv_b.columns], where UK[h] begins at row `first_row` of kv_b.
std::vector<double> AbsorbHead(const tensor::WeightView& kv_b, std::int64_t first_row,
                               std::span<const double> q_nope);
// UV[h] latent, [value], where UV[h] begins at row `first_row` of kv_b.
std::vector<double> ExpandHead(const tensor::WeightView& kv_b, std::int64_t first_row,
                               std::int64_t value, std::span<const double> latent);

void MlaAbsorbQueryReference(const MlaAbsorbQueryArgs& args);
void MlaExpandValueReference(const MlaExpandValueArgs& args);

}  // namespace glint::kernels
