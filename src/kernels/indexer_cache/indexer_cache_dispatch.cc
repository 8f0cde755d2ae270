// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"
#include "kernels/indexer_cache/indexer_cache_cpu.h"
#include "kernels/indexer_cache/indexer_cache_reference.h"
#include "kernels/internal/cache_dispatch.h"
#include "kernels/internal/cache_piece.h"

namespace glint::kernels {
namespace {

IndexerCachePiece PieceOf(const IndexerCacheArgs& args) {
  IndexerCachePiece piece = {};
  piece.tables = args.tables;
  piece.rope = args.rope;
  piece.q = static_cast<float*>(args.q.data);
  piece.q_stride = args.q.stride;
  piece.heads = args.heads;
  piece.head_dim = args.head_dim;
  piece.key = CacheSideOf(args.k, args.cache);
  piece.norm_weight = PlainVectorOf(args.norm_weight);
  piece.norm_bias = PlainVectorOf(args.norm_bias);
  piece.epsilon = args.epsilon;
  return piece;
}

}  // namespace

std::string IndexerCacheCpuFallbackReason(const IndexerCacheArgs& args) {
  return CacheFallbackReason({&args.q, &args.k}, {&args.norm_weight, &args.norm_bias});
}

void IndexerCacheCpu(Isa isa, device::Stream& stream, const IndexerCacheArgs& args) {
  if (const std::string reason = IndexerCacheCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "indexer_cache: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { IndexerCacheReference(args); });
    return;
  }
  const auto entry =
      IsaEntry(isa, baseline::IndexerCacheRows, avx2::IndexerCacheRows, avx512::IndexerCacheRows);
  device::SubmitCpu(stream, [args, entry](device::WorkerPool& pool) {
    RunCacheRows(pool, PieceOf(args), entry);
  });
}

}  // namespace glint::kernels
