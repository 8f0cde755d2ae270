// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/quantize_activation/quantize_activation_cpu.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/quantize_activation/quantize_rows.h"

namespace glint::kernels {
namespace {

QuantizeRows RowsFrom(const QuantizeActivationArgs& args, std::int64_t first, std::int64_t count) {
  const std::int64_t groups = args.out.columns / args.out.group;
  QuantizeRows rows;
  rows.x = RowAt(args.x, first);
  rows.x_stride = args.x.stride;
  rows.q = static_cast<std::int8_t*>(args.out.quantized) + first * args.out.columns;
  rows.scales = args.out.scales + first * groups;
  rows.sums = args.out.sums == nullptr ? nullptr : args.out.sums + first * groups;
  rows.rows = std::min(count, args.x.rows - first);
  rows.columns = args.out.columns;
  rows.group = args.out.group;
  return rows;
}

}  // namespace

std::string CpuFallbackReason(const QuantizeActivationArgs& args) {
  if (args.out.dtype != tensor::DType::kI8) {
    return CpuFallback("quantize_activation",
                       format("{} output", tensor::DTypeName(args.out.dtype)));
  }
  if (args.out.group % 8 != 0) {
    return CpuFallback("quantize_activation", format("groups of {}", args.out.group));
  }
  return CpuFallbackOf("quantize_activation", args.x);
}

void QuantizeActivationCpu(Isa isa, device::Stream& stream, const QuantizeActivationArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { QuantizeActivationReference(args); });
    return;
  }
  const auto run = IsaEntry(isa, baseline::RunQuantizeRows, avx2::RunQuantizeRows);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.x.columns);
    pool.Run(PieceCount(args.x.rows, rows), [&](std::int64_t piece) {
      const QuantizeRows part = RowsFrom(args, piece * rows, rows);
      run(&part);
    });
  });
}

}  // namespace glint::kernels
