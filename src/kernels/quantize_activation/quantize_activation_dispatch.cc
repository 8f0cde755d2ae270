// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/quantize_activation/quantize_activation_cpu.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/quantize_activation/quantize_rows.h"

namespace glint::kernels {

QuantizeRows QuantizeRowsOf(const Activation& x, const QuantizedActivation& out, std::int64_t first,
                            std::int64_t count) {
  const std::int64_t groups = out.columns / out.group;
  QuantizeRows rows;
  rows.x = RowAt(x, first);
  rows.x_stride = x.stride;
  rows.q = static_cast<std::int8_t*>(out.quantized) + first * out.columns;
  rows.q_stride = out.columns;
  rows.scales = out.scales + first * groups;
  rows.sums = out.sums == nullptr ? nullptr : out.sums + first * groups;
  rows.rows = std::min(count, x.rows - first);
  rows.columns = out.columns;
  rows.group = out.group;
  return rows;
}

std::string QuantizeFallbackReason(std::string_view operation, const QuantizedActivation& out) {
  if (out.dtype != tensor::DType::kI8) {
    return CpuFallback(operation, format("{} output", tensor::DTypeName(out.dtype)));
  }
  if (out.group % 8 != 0) return CpuFallback(operation, format("groups of {}", out.group));
  return {};
}

std::string CpuFallbackReason(const QuantizeActivationArgs& args) {
  std::string reason = QuantizeFallbackReason("quantize_activation", args.out);
  return reason.empty() ? CpuFallbackOf("quantize_activation", args.x) : reason;
}

void QuantizeActivationCpu(Isa isa, device::Stream& stream, const QuantizeActivationArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { QuantizeActivationReference(args); });
    return;
  }
  const auto run =
      IsaEntry(isa, baseline::RunQuantizeRows, avx2::RunQuantizeRows, avx512::RunQuantizeRows);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.x.columns);
    pool.Run(PieceCount(args.x.rows, rows), [&](std::int64_t piece) {
      const QuantizeRows part = QuantizeRowsOf(args.x, args.out, piece * rows, rows);
      run(&part);
    });
  });
}

}  // namespace glint::kernels
