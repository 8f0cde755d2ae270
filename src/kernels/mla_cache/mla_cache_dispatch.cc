// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"
#include "kernels/internal/cache_dispatch.h"
#include "kernels/internal/cache_piece.h"
#include "kernels/mla_cache/mla_cache_cpu.h"
#include "kernels/mla_cache/mla_cache_reference.h"

namespace glint::kernels {
namespace {

MlaCachePiece PieceOf(const MlaCacheArgs& args) {
  MlaCachePiece piece = {};
  piece.tables = args.tables;
  piece.rope = args.rope;
  piece.q_rope = static_cast<float*>(args.q.data) + args.nope;
  piece.q_stride = args.q.stride;
  piece.heads = args.heads;
  piece.head_stride = args.nope + args.rope.width;
  piece.kv_lora = args.kv_lora;
  piece.kv = CacheSideOf(args.kv_a, args.cache);
  piece.norm_weight = PlainVectorOf(args.norm_weight);
  piece.epsilon = args.epsilon;
  return piece;
}

}  // namespace

std::string MlaCacheCpuFallbackReason(const MlaCacheArgs& args) {
  return CacheFallbackReason({&args.q, &args.kv_a}, {&args.norm_weight});
}

void MlaCacheCpu(Isa isa, device::Stream& stream, const MlaCacheArgs& args) {
  if (const std::string reason = MlaCacheCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "mla_cache: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { MlaCacheReference(args); });
    return;
  }
  const auto entry =
      IsaEntry(isa, baseline::MlaCacheRows, avx2::MlaCacheRows, avx512::MlaCacheRows);
  device::SubmitCpu(stream, [args, entry](device::WorkerPool& pool) {
    RunCacheRows(pool, PieceOf(args), entry);
  });
}

}  // namespace glint::kernels
