// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/embedding/embedding_cpu.h"
#include "kernels/embedding/embedding_reference.h"
#include "kernels/embedding/embedding_rows.h"
#include "kernels/internal/cpu_dispatch.h"

namespace glint::kernels {

std::string CpuFallbackReason(const EmbeddingArgs& args) {
  if (std::string reason = CpuFallbackOf("embedding", args.table); !reason.empty()) return reason;
  return CpuFallbackOf("embedding", args.out);
}

void EmbeddingCpu(Isa isa, device::Stream& stream, const EmbeddingArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { EmbeddingReference(args); });
    return;
  }
  const auto run = IsaEntry(isa, baseline::RunEmbeddingRows, avx2::RunEmbeddingRows);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.out.columns);
    const std::int32_t* sequence = args.tables.row_sequence;
    pool.Run(PieceCount(args.tables.row_count, rows), [&](std::int64_t piece) {
      const std::int64_t first = piece * rows;
      EmbeddingRows part;
      part.row_sequence = sequence == nullptr ? nullptr : sequence + first;
      part.tokens = args.tokens + first;
      part.samples = args.samples;
      part.table = args.table.data.data;
      part.table_dtype = args.table.data.dtype;
      part.out = RowAt(args.out, first);
      part.stride = args.out.stride;
      part.rows = std::min(rows, args.tables.row_count - first);
      part.columns = args.out.columns;
      run(&part);
    });
  });
}

}  // namespace glint::kernels
