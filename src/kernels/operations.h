// SPDX-License-Identifier: Apache-2.0
// The list of operations that every device implements, at the grain that the forward pass is
// written in: reduce + add + norm + quantise is one operation, so that a device may fuse it. A
// table of functions is chosen once when an engine starts, never per call.
//
// Contracts: the header of each operation's folder. A device that lacks a fused form composes it
// from smaller kernels and reports a fallback (base/fallback.h). ReferenceOperations is the oracle.
#pragma once

#include <cstdint>

#include "device/device.h"
#include "kernels/add_norm/add_norm.h"
#include "kernels/embedding/embedding.h"
#include "kernels/gqa_attention/gqa_attention.h"
#include "kernels/gqa_cache/gqa_cache.h"
#include "kernels/indexer_cache/indexer_cache.h"
#include "kernels/indexer_topk/indexer_topk.h"
#include "kernels/linear/linear.h"
#include "kernels/mla_absorb/mla_absorb.h"
#include "kernels/mla_attention/mla_attention.h"
#include "kernels/mla_cache/mla_cache.h"
#include "kernels/moe/moe.h"
#include "kernels/quantize_activation/quantize_activation.h"
#include "kernels/router/router.h"
#include "kernels/sample/sample.h"
#include "kernels/silu_mul/silu_mul.h"
#include "kernels/verify_draft/verify_draft.h"

namespace glint::kernels {

// An operation of a device: enqueues on the stream and returns. Arguments were checked before
// (Check...Args) and are copied; what they point to must stay until the work is done.
template <typename Args>
using Operation = void (*)(device::Stream& stream, const Args& args);

struct OperationTable {
  const char* name = nullptr;  // "reference", "avx2", ... ; for logs and reports
  Operation<EmbeddingArgs> embedding = nullptr;
  Operation<AddNormArgs> add_norm = nullptr;
  Operation<QuantizeActivationArgs> quantize_activation = nullptr;
  Operation<LinearArgs> linear = nullptr;
  Operation<SiluMulArgs> silu_mul = nullptr;
  Operation<MlaCacheArgs> mla_cache = nullptr;
  Operation<MlaAbsorbQueryArgs> mla_absorb_query = nullptr;
  Operation<MlaAttentionArgs> mla_attention = nullptr;
  Operation<MlaExpandValueArgs> mla_expand_value = nullptr;
  Operation<IndexerCacheArgs> indexer_cache = nullptr;
  Operation<IndexerTopkArgs> indexer_topk = nullptr;
  Operation<GqaCacheArgs> gqa_cache = nullptr;
  Operation<GqaAttentionArgs> gqa_attention = nullptr;
  Operation<RouterArgs> router = nullptr;
  Operation<MoeArgs> moe = nullptr;
  Operation<SampleArgs> sample = nullptr;
  Operation<VerifyDraftArgs> verify_draft = nullptr;
};

// On a stream of the CPU device; slow and obvious, sums in double. `moe` needs no scratch.
const OperationTable& ReferenceOperations();

}  // namespace glint::kernels
