// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/embedding/embedding_cpu.h"
#include "kernels/embedding/embedding_reference.h"
#include "kernels/embedding/embedding_rows.h"
#include "kernels/internal/cpu_dispatch.h"

namespace glint::kernels {
namespace {

// Rows of a table that is not plain are decoded as the tensors' own functions do it: a row is read
// once a token, so there is nothing to gain from a kernel for each format.
void DecodeRows(const EmbeddingArgs& args, std::int64_t first, std::int64_t count) {
  for (std::int64_t row = first; row < first + count; ++row) {
    if (args.tables.row_sequence != nullptr && args.tables.row_sequence[row] < 0) continue;
    const std::int32_t slot = args.tokens[row];
    const std::int32_t token = slot >= 0 ? slot : std::max(args.samples[-1 - slot], 0);
    tensor::ReadRow(args.table, token, RowAt(args.out, row));
  }
}

}  // namespace

std::string CpuFallbackReason(const EmbeddingArgs& args) {
  return CpuFallbackOf("embedding", args.out);
}

void EmbeddingCpu(Isa isa, device::Stream& stream, const EmbeddingArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { EmbeddingReference(args); });
    return;
  }
  const auto run =
      IsaEntry(isa, baseline::RunEmbeddingRows, avx2::RunEmbeddingRows, avx512::RunEmbeddingRows);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    const std::int64_t rows = RowsOfPiece(args.out.columns);
    const std::int32_t* sequence = args.tables.row_sequence;
    pool.Run(PieceCount(args.tables.row_count, rows), [&](std::int64_t piece) {
      const std::int64_t first = piece * rows;
      const std::int64_t count = std::min(rows, args.tables.row_count - first);
      if (args.table.format != tensor::WeightFormat::kPlain) return DecodeRows(args, first, count);
      EmbeddingRows part;
      part.row_sequence = sequence == nullptr ? nullptr : sequence + first;
      part.tokens = args.tokens + first;
      part.samples = args.samples;
      part.table = args.table.data.data;
      part.table_dtype = args.table.data.dtype;
      part.out = RowAt(args.out, first);
      part.stride = args.out.stride;
      part.rows = count;
      part.columns = args.out.columns;
      run(&part);
    });
  });
}

}  // namespace glint::kernels
