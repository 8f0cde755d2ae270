// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "device/cpu/cpu_device.h"
#include "kernels/gqa_attention/gqa_attention_cpu.h"
#include "kernels/gqa_attention/gqa_attention_reference.h"
#include "kernels/internal/attention_piece.h"

namespace glint::kernels {
namespace {

constexpr std::int64_t kMostWidth = kAttentionQueryFloats / kAttentionMaxHeads;

const std::byte* HeadOf(const CacheView& cache, std::int64_t column) {
  return static_cast<const std::byte*>(cache.data) + column * tensor::DTypeBytes(cache.dtype);
}

// Query heads [head, head + heads) of one key head.
AttentionPiece PieceOf(const GqaAttentionArgs& args, std::int64_t row, std::int64_t head,
                       std::int64_t heads) {
  const std::int64_t cached = head / (args.heads / args.kv_heads) * args.head_dim;
  const std::int64_t column = head * args.head_dim;
  AttentionPiece piece = {};
  piece.tables = args.tables;
  piece.row = row;
  piece.keys = HeadOf(args.k_cache, cached);
  piece.values = HeadOf(args.v_cache, cached);
  piece.key_stride = args.k_cache.width;
  piece.value_stride = args.v_cache.width;
  piece.bf16 = args.k_cache.dtype == tensor::DType::kBF16;
  piece.query = static_cast<const float*>(args.q.data) + row * args.q.stride + column;
  piece.query_stride = args.head_dim;
  piece.query_width = args.head_dim;
  piece.value_width = args.head_dim;
  piece.heads = heads;
  piece.scale = args.scale;
  piece.output = static_cast<float*>(args.output.data) + row * args.output.stride + column;
  piece.output_stride = args.head_dim;
  return piece;
}

}  // namespace

std::string GqaAttentionCpuFallbackReason(const GqaAttentionArgs& args) {
  for (const Activation* rows : {&args.q, &args.output}) {
    if (rows->dtype != tensor::DType::kF32) {
      return format("activations are {}, not F32", tensor::DTypeName(rows->dtype));
    }
  }
  if (args.k_cache.dtype != args.v_cache.dtype) {
    return format("keys are {}, values {}", tensor::DTypeName(args.k_cache.dtype),
                  tensor::DTypeName(args.v_cache.dtype));
  }
  if (args.head_dim > kMostWidth) {
    return format("a key is {} wide, more than {}", args.head_dim, kMostWidth);
  }
  return {};
}

void GqaAttentionCpu(Isa isa, device::Stream& stream, const GqaAttentionArgs& args) {
  if (const std::string reason = GqaAttentionCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "gqa_attention: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { GqaAttentionReference(args); });
    return;
  }
  const auto attend = IsaEntry(isa, baseline::AttendPiece, avx2::AttendPiece, avx512::AttendPiece,
                               amx::AttendPiece);
  device::SubmitCpu(stream, [args, attend](device::WorkerPool& pool) {
    const std::int64_t shared = args.heads / args.kv_heads;
    const std::int64_t parts = (shared + kAttentionMaxHeads - 1) / kAttentionMaxHeads;
    const std::int64_t groups = args.kv_heads * parts;
    pool.Run(args.tables.row_count * groups, [&](std::int64_t index) {
      const std::int64_t row = index / groups;
      if (args.tables.row_sequence[row] < 0) return;
      const std::int64_t group = index % groups;
      const std::int64_t first = group % parts * kAttentionMaxHeads;
      const std::int64_t heads = std::min(kAttentionMaxHeads, shared - first);
      const AttentionPiece piece = PieceOf(args, row, group / parts * shared + first, heads);
      attend(&piece);
    });
  });
}

}  // namespace glint::kernels
