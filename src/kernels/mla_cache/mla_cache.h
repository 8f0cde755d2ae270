// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention, what is cached: rotates the rope part of the queries in place and
// writes each row's normalised latent and rotated key part to its page.
//
// Source: glm-architecture.md 2.2, 2.3, 2.4.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// kv = kv_a_proj_with_mqa(x), [kv_lora + rope.width]:
//   c    = kv[0 : kv_lora] * weight / sqrt(mean(kv[0 : kv_lora]^2) + epsilon)
//   k_pe = rope(kv[kv_lora :], position), not normalised
// c then k_pe go to the token slot of (sequence, position). The statistics, the weight and the
// rotation are at least fp32; a value is rounded once, when it is stored.
//
// No two rows may have the same sequence and position. Order of the sum of squares: ascending, or
// one fixed by kv_lora alone. Bytes moved per row: heads * rope.width elements of q read and
// written, kv_lora + rope.width of kv_a read and as many of the cache written.
struct MlaCacheArgs {
  BatchTables tables;
  RopeView rope;
  std::int64_t heads = 0;
  std::int64_t nope = 0;  // elements of a head before its rope part, >= 0
  std::int64_t kv_lora = 0;
  Activation q;     // [row_count, heads * (nope + rope.width)]; the last rope.width of each head
                    // are rotated in place, the others not touched
  Activation kv_a;  // [row_count, kv_lora + rope.width]; read; does not overlap q
  tensor::WeightView norm_weight;  // plain [kv_lora, 1]
  float epsilon = 1e-5F;
  CacheView cache;  // width kv_lora + rope.width, F32 or BF16
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckMlaCacheArgs(const MlaCacheArgs& args);

}  // namespace glint::kernels
