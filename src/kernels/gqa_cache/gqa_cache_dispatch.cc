// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"
#include "kernels/gqa_cache/gqa_cache_cpu.h"
#include "kernels/gqa_cache/gqa_cache_reference.h"
#include "kernels/internal/cache_dispatch.h"
#include "kernels/internal/cache_piece.h"

namespace glint::kernels {
namespace {

GqaCachePiece PieceOf(const GqaCacheArgs& args) {
  GqaCachePiece piece = {};
  piece.tables = args.tables;
  piece.rope = args.rope;
  piece.q = static_cast<float*>(args.q.data);
  piece.q_stride = args.q.stride;
  piece.heads = args.heads;
  piece.kv_heads = args.kv_heads;
  piece.head_dim = args.head_dim;
  piece.key = CacheSideOf(args.k, args.k_cache);
  piece.value = CacheSideOf(args.v, args.v_cache);
  piece.q_norm = PlainVectorOf(args.q_norm);
  piece.k_norm = PlainVectorOf(args.k_norm);
  piece.epsilon = args.epsilon;
  return piece;
}

}  // namespace

std::string GqaCacheCpuFallbackReason(const GqaCacheArgs& args) {
  return CacheFallbackReason({&args.q, &args.k, &args.v}, {&args.q_norm, &args.k_norm});
}

void GqaCacheCpu(Isa isa, device::Stream& stream, const GqaCacheArgs& args) {
  if (const std::string reason = GqaCacheCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "gqa_cache: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { GqaCacheReference(args); });
    return;
  }
  const auto entry =
      IsaEntry(isa, baseline::GqaCacheRows, avx2::GqaCacheRows, avx512::GqaCacheRows);
  device::SubmitCpu(stream, [args, entry](device::WorkerPool& pool) {
    RunCacheRows(pool, PieceOf(args), entry);
  });
}

}  // namespace glint::kernels
