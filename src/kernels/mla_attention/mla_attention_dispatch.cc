// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "device/cpu/cpu_device.h"
#include "kernels/internal/attention_piece.h"
#include "kernels/mla_attention/mla_attention_cpu.h"
#include "kernels/mla_attention/mla_attention_reference.h"

namespace glint::kernels {
namespace {

constexpr std::int64_t kGroupHeads = 8;
constexpr std::int64_t kMostWidth = kAttentionQueryFloats / kGroupHeads;

float* RowOf(const Activation& rows, std::int64_t row) {
  return static_cast<float*>(rows.data) + row * rows.stride;
}

AttentionPiece PieceOf(const MlaAttentionArgs& args, std::int64_t row, std::int64_t head,
                       std::int64_t heads) {
  const std::int64_t top_k = args.selection.top_k;
  AttentionPiece piece = {};
  piece.tables = args.tables;
  piece.row = row;
  if (args.selection.positions != nullptr) piece.positions = args.selection.positions + row * top_k;
  piece.top_k = top_k;
  piece.keys = args.cache.data;
  piece.values = args.cache.data;
  piece.key_stride = args.cache.width;
  piece.value_stride = args.cache.width;
  piece.bf16 = args.cache.dtype == tensor::DType::kBF16;
  piece.query = RowOf(args.q_latent, row) + head * args.kv_lora;
  piece.query_stride = args.kv_lora;
  piece.query_width = args.kv_lora;
  piece.query_tail = RowOf(args.q_rope, row) + head * args.rope_head_stride;
  piece.tail_stride = args.rope_head_stride;
  piece.tail_width = args.rope_width;
  piece.value_width = args.kv_lora;
  piece.heads = std::min(heads, args.heads - head);
  piece.scale = args.scale;
  piece.output = RowOf(args.output, row) + head * args.kv_lora;
  piece.output_stride = args.kv_lora;
  return piece;
}

// Heads that a piece takes, of which no result depends: on tiles as many as fill them, if that
// leaves a piece to each thread.
std::int64_t HeadsOfPiece(Isa isa, const MlaAttentionArgs& args, int threads) {
  const std::int64_t pieces =
      args.tables.row_count * ((args.heads + kAttentionMaxHeads - 1) / kAttentionMaxHeads);
  const bool fills_tiles = isa == Isa::kAmx && TilesAttend(PieceOf(args, 0, 0, kGroupHeads));
  return fills_tiles && pieces >= threads ? kAttentionMaxHeads : kGroupHeads;
}

}  // namespace

std::string MlaAttentionCpuFallbackReason(const MlaAttentionArgs& args) {
  for (const Activation* rows : {&args.q_latent, &args.q_rope, &args.output}) {
    if (rows->dtype != tensor::DType::kF32) {
      return format("activations are {}, not F32", tensor::DTypeName(rows->dtype));
    }
  }
  const std::int64_t width = args.kv_lora + args.rope_width;
  if (width > kMostWidth) return format("a key is {} wide, more than {}", width, kMostWidth);
  return {};
}

void MlaAttentionCpu(Isa isa, device::Stream& stream, const MlaAttentionArgs& args) {
  if (const std::string reason = MlaAttentionCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "mla_attention: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { MlaAttentionReference(args); });
    return;
  }
  const auto attend = IsaEntry(isa, baseline::AttendPiece, avx2::AttendPiece, avx512::AttendPiece,
                               amx::AttendPiece);
  device::SubmitCpu(stream, [isa, args, attend](device::WorkerPool& pool) {
    const std::int64_t heads = HeadsOfPiece(isa, args, pool.size());
    const std::int64_t groups = (args.heads + heads - 1) / heads;
    pool.Run(args.tables.row_count * groups, [&](std::int64_t index) {
      const std::int64_t row = index / groups;
      if (args.tables.row_sequence[row] < 0) return;
      const AttentionPiece piece = PieceOf(args, row, index % groups * heads, heads);
      attend(&piece);
    });
  });
}

}  // namespace glint::kernels
