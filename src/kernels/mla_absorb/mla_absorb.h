// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention, the absorbed form's two small products per head: the query into
// the space of the cached latents, and the attended latent back into values.
//
// Two operations that share one weight. kv_b is [heads * (nope + value), kv_lora] in any format;
// head h owns rows h * (nope + value) ...: first UK[h], `nope` rows, then UV[h], `value` rows. The
// matrix is not sliced: a head's border may lie inside a block of scales.
// Source: glm-architecture.md 2.5.
//
// Or the two halves are matrices of their own, the keys' transposed, so that rows are outputs and
// products can be integers: k_b [heads * kv_lora, nope], head h owning kv_lora rows, and v_b
// [heads * value, kv_lora]. Then the input is quantised, and both operations are `linear` head by
// head, with its accumulation and error.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// q_latent[row, h, :] = UK[h]^T q_nope[row, h, :]
// Of the tables only row_count and row_sequence are read. The sum over nope is at least fp32, its
// order fixed by nope and the format alone; rounded once, when stored. Bytes moved: the UK rows of
// kv_b once per call, heads * (nope + kv_lora) elements per row.
struct MlaAbsorbQueryArgs {
  BatchTables tables;
  std::int64_t heads = 0;
  std::int64_t nope = 0;
  std::int64_t value = 0;  // rows of UV[h], skipped here
  std::int64_t kv_lora = 0;
  Activation q;                        // [row_count, (heads - 1) * query_head_stride + nope]: head
                                       // h's nope elements begin at column h * query_head_stride
  std::int64_t query_head_stride = 0;  // >= nope; nope + rope inside q of mla_cache
  tensor::WeightView kv_b;
  Activation q_latent;  // [row_count, heads * kv_lora]; written; does not overlap q
  // Instead of q and kv_b:
  QuantizedActivation quantized_q;  // the columns of q
  tensor::WeightView k_b;
};

// output[row, h, :] = UV[h] latent[row, h, :]
// Of the tables only row_count and row_sequence are read. The sum over kv_lora is at least fp32,
// its order fixed by kv_lora and the format alone; rounded once, when stored. Bytes moved: the UV
// rows of kv_b once per call, heads * (value + kv_lora) elements per row.
struct MlaExpandValueArgs {
  BatchTables tables;
  std::int64_t heads = 0;
  std::int64_t nope = 0;  // rows of UK[h], skipped here
  std::int64_t value = 0;
  std::int64_t kv_lora = 0;
  Activation latent;  // [row_count, heads * kv_lora], of mla_attention
  tensor::WeightView kv_b;
  Activation output;  // [row_count, heads * value]; written; does not overlap latent
  // Instead of latent and kv_b:
  QuantizedActivation quantized_latent;
  tensor::WeightView v_b;
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckMlaAbsorbQueryArgs(const MlaAbsorbQueryArgs& args);
Status CheckMlaExpandValueArgs(const MlaExpandValueArgs& args);

}  // namespace glint::kernels
