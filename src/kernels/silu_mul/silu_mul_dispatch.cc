// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/quantize_activation/quantize_rows.h"
#include "kernels/silu_mul/silu_mul_cpu.h"
#include "kernels/silu_mul/silu_mul_reference.h"
#include "kernels/silu_mul/silu_mul_rows.h"

namespace glint::kernels {

std::string CpuFallbackReason(const SiluMulArgs& args) {
  if (args.quantized.quantized != nullptr) {
    if (args.out.data == nullptr) return CpuFallback("silu_mul", "quantised output alone");
    std::string reason = QuantizeFallbackReason("silu_mul", args.quantized);
    if (!reason.empty()) return reason;
  }
  return CpuFallbackOf("silu_mul", args.gate, args.up, args.out);
}

void SiluMulCpu(Isa isa, device::Stream& stream, const SiluMulArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { SiluMulReference(args); });
    return;
  }
  const auto run =
      IsaEntry(isa, baseline::RunSiluMulRows, avx2::RunSiluMulRows, avx512::RunSiluMulRows);
  const auto quantize =
      IsaEntry(isa, baseline::RunQuantizeRows, avx2::RunQuantizeRows, avx512::RunQuantizeRows);
  device::SubmitCpu(stream, [run, quantize, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.gate.columns);
    pool.Run(PieceCount(args.gate.rows, rows), [&](std::int64_t piece) {
      const std::int64_t first = piece * rows;
      SiluMulRows part;
      part.gate = RowAt(args.gate, first);
      part.up = RowAt(args.up, first);
      part.out = RowAt(args.out, first);
      part.gate_stride = args.gate.stride;
      part.up_stride = args.up.stride;
      part.out_stride = args.out.stride;
      part.rows = std::min(rows, args.gate.rows - first);
      part.columns = args.gate.columns;
      run(&part);
      if (args.quantized.quantized == nullptr) return;
      const QuantizeRows codes = QuantizeRowsOf(args.out, args.quantized, first, rows);
      quantize(&codes);
    });
  });
}

}  // namespace glint::kernels
