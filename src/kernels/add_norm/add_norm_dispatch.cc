// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/add_norm/add_norm_cpu.h"
#include "kernels/add_norm/add_norm_reference.h"
#include "kernels/add_norm/add_norm_rows.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/quantize_activation/quantize_rows.h"

namespace glint::kernels {
namespace {

static_assert(kMaxAddNormParts == sizeof(AddNormRows::parts) / sizeof(AddNormRows::parts[0]));

AddNormRows RowsFrom(const AddNormArgs& args, std::int64_t first, std::int64_t count) {
  AddNormRows rows;
  rows.residual = RowAt(args.residual, first);
  rows.residual_stride = args.residual.stride;
  for (std::int64_t i = 0; i < args.part_count; ++i) {
    rows.parts[i] = RowAt(AddNormPart(args, i), first);
  }
  rows.part_count = args.part_count;
  rows.part_stride = args.part_stride;
  rows.branch_norm = args.branch_norm_weight.data.data;
  rows.branch_norm_dtype = args.branch_norm_weight.data.dtype;
  rows.weight = args.weight.data.data;
  rows.weight_dtype = args.weight.data.dtype;
  rows.eps = args.eps;
  rows.normed = RowAt(args.normed, first);
  rows.normed_stride = args.normed.stride;
  rows.rows = std::min(count, args.residual.rows - first);
  rows.columns = args.residual.columns;
  return rows;
}

}  // namespace

std::string CpuFallbackReason(const AddNormArgs& args) {
  if (args.quantized.quantized != nullptr) {
    if (args.normed.data == nullptr) return CpuFallback("add_norm", "quantised output alone");
    std::string reason = QuantizeFallbackReason("add_norm", args.quantized);
    if (!reason.empty()) return reason;
  }
  if (args.part_count > 0) {
    return CpuFallbackOf("add_norm", args.residual, AddNormPart(args, 0), args.normed);
  }
  return CpuFallbackOf("add_norm", args.residual, args.normed);
}

void AddNormCpu(Isa isa, device::Stream& stream, const AddNormArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { AddNormReference(args); });
    return;
  }
  const auto run =
      IsaEntry(isa, baseline::RunAddNormRows, avx2::RunAddNormRows, avx512::RunAddNormRows);
  const auto quantize =
      IsaEntry(isa, baseline::RunQuantizeRows, avx2::RunQuantizeRows, avx512::RunQuantizeRows);
  device::SubmitCpu(stream, [run, quantize, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.residual.columns);
    pool.Run(PieceCount(args.residual.rows, rows), [&](std::int64_t piece) {
      const AddNormRows part = RowsFrom(args, piece * rows, rows);
      run(&part);
      if (args.quantized.quantized == nullptr) return;
      const QuantizeRows codes = QuantizeRowsOf(args.normed, args.quantized, piece * rows, rows);
      quantize(&codes);
    });
  });
}

}  // namespace glint::kernels
