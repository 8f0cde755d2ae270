// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/router/router_cpu.h"
#include "kernels/router/router_reference.h"
#include "kernels/router/router_rows.h"

namespace glint::kernels {
namespace {

RouterRows RowsFrom(const RouterArgs& args, std::int64_t first, std::int64_t count) {
  RouterRows rows;
  rows.logits = RowAt(args.logits, first);
  rows.stride = args.logits.stride;
  rows.bias = args.bias;
  rows.row_sequence = args.row_sequence == nullptr ? nullptr : args.row_sequence + first;
  rows.experts = args.logits.columns;
  rows.top_k = args.top_k;
  rows.group_count = args.group_count;
  rows.group_top_k = args.group_top_k;
  rows.normalize = args.normalize;
  rows.scaling = args.scaling;
  rows.expert_ids = args.expert_ids + first * args.top_k;
  rows.expert_weights = args.expert_weights + first * args.top_k;
  rows.rows = std::min(count, args.logits.rows - first);
  return rows;
}

}  // namespace

std::string CpuFallbackReason(const RouterArgs& args) {
  if (args.logits.columns <= kMaxRouterCpuExperts) return "";
  return CpuFallback("router", format("{} experts", args.logits.columns));
}

void RouterCpu(Isa isa, device::Stream& stream, const RouterArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { RouterReference(args); });
    return;
  }
  const auto run =
      IsaEntry(isa, baseline::RunRouterRows, avx2::RunRouterRows, avx512::RunRouterRows);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    constexpr std::int64_t kRowsOfPiece = 4;  // some microseconds each
    pool.Run(PieceCount(args.logits.rows, kRowsOfPiece), [&](std::int64_t piece) {
      const RouterRows part = RowsFrom(args, piece * kRowsOfPiece, kRowsOfPiece);
      run(&part);
    });
  });
}

}  // namespace glint::kernels
