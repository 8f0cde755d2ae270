// SPDX-License-Identifier: Apache-2.0
#include "kernels/operations_cpu.h"

#include "kernels/add_norm/add_norm_cpu.h"
#include "kernels/embedding/embedding_cpu.h"
#include "kernels/linear/linear_cpu.h"
#include "kernels/moe/moe_cpu.h"
#include "kernels/router/router_cpu.h"
#include "kernels/silu_mul/silu_mul_cpu.h"

namespace glint::kernels {
namespace {

// A function of all instruction sets as the operation of one.
template <auto kFunction, Isa kIsa, typename Args>
void Bind(device::Stream& stream, const Args& args) {
  kFunction(kIsa, stream, args);
}

template <Isa kIsa>
const OperationTable& TableOf() {
  static const OperationTable& reference = ReferenceOperations();
  static const OperationTable table = {
      .name = IsaName(kIsa),
      .embedding = Bind<EmbeddingCpu, kIsa>,
      .add_norm = Bind<AddNormCpu, kIsa>,
      .quantize_activation = reference.quantize_activation,
      .linear = Bind<LinearCpu, kIsa>,
      .silu_mul = Bind<SiluMulCpu, kIsa>,
      .mla_cache = reference.mla_cache,
      .mla_absorb_query = reference.mla_absorb_query,
      .mla_attention = reference.mla_attention,
      .mla_expand_value = reference.mla_expand_value,
      .indexer_cache = reference.indexer_cache,
      .indexer_topk = reference.indexer_topk,
      .gqa_cache = reference.gqa_cache,
      .gqa_attention = reference.gqa_attention,
      .router = Bind<RouterCpu, kIsa>,
      .moe = Bind<MoeCpu, kIsa>,
      .sample = reference.sample,
      .verify_draft = reference.verify_draft,
  };
  return table;
}

}  // namespace

const OperationTable& CpuOperations(Isa isa) {
  return isa == Isa::kAvx2 ? TableOf<Isa::kAvx2>() : TableOf<Isa::kBaseline>();
}

}  // namespace glint::kernels
