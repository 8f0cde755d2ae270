// SPDX-License-Identifier: Apache-2.0
// The table of reference implementations.
#include "device/cpu/cpu_device.h"
#include "kernels/add_norm/add_norm_reference.h"
#include "kernels/embedding/embedding_reference.h"
#include "kernels/gqa_attention/gqa_attention_reference.h"
#include "kernels/gqa_cache/gqa_cache_reference.h"
#include "kernels/indexer_cache/indexer_cache_reference.h"
#include "kernels/indexer_topk/indexer_topk_reference.h"
#include "kernels/linear/linear_reference.h"
#include "kernels/mla_absorb/mla_absorb_reference.h"
#include "kernels/mla_attention/mla_attention_reference.h"
#include "kernels/mla_cache/mla_cache_reference.h"
#include "kernels/moe/moe_reference.h"
#include "kernels/operations.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/router/router_reference.h"
#include "kernels/sample/sample_reference.h"
#include "kernels/silu_mul/silu_mul_reference.h"
#include "kernels/verify_draft/verify_draft_reference.h"

namespace glint::kernels {
namespace {

// A reference function as an operation: enqueues a copy of the arguments.
template <typename Args, void (*kReference)(const Args&)>
void Enqueue(device::Stream& stream, const Args& args) {
  device::SubmitCpu(stream, [args](device::WorkerPool&) { kReference(args); });
}

constexpr OperationTable kReferenceOperations = {
    .name = "reference",
    .embedding = Enqueue<EmbeddingArgs, EmbeddingReference>,
    .add_norm = Enqueue<AddNormArgs, AddNormReference>,
    .quantize_activation = Enqueue<QuantizeActivationArgs, QuantizeActivationReference>,
    .linear = Enqueue<LinearArgs, LinearReference>,
    .silu_mul = Enqueue<SiluMulArgs, SiluMulReference>,
    .mla_cache = Enqueue<MlaCacheArgs, MlaCacheReference>,
    .mla_absorb_query = Enqueue<MlaAbsorbQueryArgs, MlaAbsorbQueryReference>,
    .mla_attention = Enqueue<MlaAttentionArgs, MlaAttentionReference>,
    .mla_expand_value = Enqueue<MlaExpandValueArgs, MlaExpandValueReference>,
    .indexer_cache = Enqueue<IndexerCacheArgs, IndexerCacheReference>,
    .indexer_topk = Enqueue<IndexerTopkArgs, IndexerTopkReference>,
    .gqa_cache = Enqueue<GqaCacheArgs, GqaCacheReference>,
    .gqa_attention = Enqueue<GqaAttentionArgs, GqaAttentionReference>,
    .router = Enqueue<RouterArgs, RouterReference>,
    .moe = Enqueue<MoeArgs, MoeReference>,
    .sample = Enqueue<SampleArgs, SampleReference>,
    .verify_draft = Enqueue<VerifyDraftArgs, VerifyDraftReference>,
};

}  // namespace

const OperationTable& ReferenceOperations() { return kReferenceOperations; }

}  // namespace glint::kernels
