// SPDX-License-Identifier: Apache-2.0
#include "kernels/operations_cpu.h"

#include "kernels/add_norm/add_norm_cpu.h"
#include "kernels/embedding/embedding_cpu.h"
#include "kernels/gqa_attention/gqa_attention_cpu.h"
#include "kernels/gqa_cache/gqa_cache_cpu.h"
#include "kernels/indexer_cache/indexer_cache_cpu.h"
#include "kernels/indexer_topk/indexer_topk_cpu.h"
#include "kernels/linear/linear_cpu.h"
#include "kernels/mla_absorb/mla_absorb_cpu.h"
#include "kernels/mla_attention/mla_attention_cpu.h"
#include "kernels/mla_cache/mla_cache_cpu.h"
#include "kernels/moe/moe_cpu.h"
#include "kernels/quantize_activation/quantize_activation_cpu.h"
#include "kernels/router/router_cpu.h"
#include "kernels/sample/sample_cpu.h"
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
      .quantize_activation = Bind<QuantizeActivationCpu, kIsa>,
      .linear = Bind<LinearCpu, kIsa>,
      .silu_mul = Bind<SiluMulCpu, kIsa>,
      .mla_cache = Bind<MlaCacheCpu, kIsa>,
      .mla_absorb_query = Bind<MlaAbsorbQueryCpu, kIsa>,
      .mla_attention = Bind<MlaAttentionCpu, kIsa>,
      .mla_expand_value = Bind<MlaExpandValueCpu, kIsa>,
      .indexer_cache = Bind<IndexerCacheCpu, kIsa>,
      .indexer_topk = Bind<IndexerTopkCpu, kIsa>,
      .gqa_cache = Bind<GqaCacheCpu, kIsa>,
      .gqa_attention = Bind<GqaAttentionCpu, kIsa>,
      .router = Bind<RouterCpu, kIsa>,
      .moe = Bind<MoeCpu, kIsa>,
      .sample = SampleCpu,
      .verify_draft = reference.verify_draft,
  };
  return table;
}

}  // namespace

const OperationTable& CpuOperations(Isa isa) {
  return IsaEntry(isa, TableOf<Isa::kBaseline>, TableOf<Isa::kAvx2>, TableOf<Isa::kAvx512>,
                  TableOf<Isa::kAmx>)();
}

}  // namespace glint::kernels
