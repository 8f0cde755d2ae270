// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/linear/block_tile.h"
#include "kernels/linear/linear_cpu.h"
#include "kernels/linear/linear_reference.h"
#include "kernels/linear/linear_tile.h"

namespace glint::kernels {
namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{64} * 1024;
constexpr std::int64_t kManyRows = 8;
constexpr std::int64_t kOutputsForManyRows = 48;
constexpr std::int64_t kOutputStep = 24;

LinearTile WholeTile(const LinearArgs& args) {
  LinearTile tile;
  tile.x = static_cast<const float*>(args.x.data);
  tile.x_stride = args.x.stride;
  tile.weight = args.weight.data.data;
  tile.weight_dtype = args.weight.data.dtype;
  tile.bias = args.bias.data.data;
  tile.bias_dtype = args.bias.data.dtype;
  tile.out = static_cast<float*>(args.out.data);
  tile.out_stride = args.out.stride;
  tile.rows = args.out.rows;
  tile.columns = args.weight.columns;
  tile.outputs = args.weight.rows;
  return tile;
}

// The outputs [first, first + count) of a tile.
LinearTile PartOf(const LinearTile& whole, std::int64_t first, std::int64_t count) {
  LinearTile part = whole;
  const std::int64_t row_bytes = whole.columns * tensor::DTypeBytes(whole.weight_dtype);
  part.weight = static_cast<const char*>(whole.weight) + first * row_bytes;
  if (whole.bias != nullptr) {
    part.bias = static_cast<const char*>(whole.bias) + first * tensor::DTypeBytes(whole.bias_dtype);
  }
  part.out = whole.out + first;
  part.outputs = std::min(count, whole.outputs - first);
  return part;
}

// Why integer products do not do for these arguments; empty: they do.
std::string BlockFallbackReason(const LinearArgs& args) {
  if (args.weight.layout != tensor::WeightLayout::kInterleaved8) {
    return CpuFallback("linear", format("quantised input with {} weights in rows",
                                        tensor::WeightFormatName(args.weight.format)));
  }
  const QuantizedActivation& x = args.quantized_x;
  if (x.dtype != tensor::DType::kI8 || x.group != kBlockTileGroup || x.sums == nullptr) {
    return CpuFallback("linear", format("{} input in groups of {}{}", tensor::DTypeName(x.dtype),
                                        x.group, x.sums == nullptr ? " without sums" : ""));
  }
  return CpuFallbackOf("linear", args.out);
}

void SubmitBlocks(Isa isa, device::Stream& stream, const LinearArgs& args) {
  const auto run = IsaEntry(isa, baseline::RunBlockTile, avx2::RunBlockTile, avx512::RunBlockTile,
                            amx::RunBlockTile);
  device::SubmitCpu(stream, [run, args](device::WorkerPool& pool) {
    const std::int64_t outputs = BlockTileOutputs(args.out.rows, tensor::DataPerRow(args.weight));
    const std::int64_t pieces = args.out.rows == 0 ? 0 : PieceCount(args.weight.rows, outputs);
    pool.Run(pieces, [&](std::int64_t piece) {
      const std::int64_t first = piece * outputs;
      BlockTile tile = BlockTileOf(args.weight, first, outputs);
      SetInput(tile, args.quantized_x, 0);
      if (args.bias.data.data != nullptr) {
        tile.bias_dtype = args.bias.data.dtype;
        tile.bias = args.bias.data.data + first * tensor::DTypeBytes(tile.bias_dtype);
      }
      tile.out = static_cast<float*>(args.out.data) + first;
      tile.out_stride = args.out.stride;
      tile.rows = args.out.rows;
      run(&tile);
    });
  });
}

}  // namespace

std::int64_t LinearTileOutputs(std::int64_t rows, std::int64_t row_bytes) {
  const std::int64_t outputs = std::max<std::int64_t>(kPieceBytes / row_bytes, 1);
  return RoundUp(rows > kManyRows ? std::max(outputs, kOutputsForManyRows) : outputs, kOutputStep);
}

std::string CpuFallbackReason(const LinearArgs& args) {
  if (args.x.data == nullptr) return BlockFallbackReason(args);
  if (std::string reason = CpuFallbackOf("linear", args.x, args.out); !reason.empty()) {
    return reason;
  }
  return CpuFallbackOf("linear", args.weight);
}

void LinearCpu(Isa isa, device::Stream& stream, const LinearArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { LinearReference(args); });
    return;
  }
  if (args.x.data == nullptr) return SubmitBlocks(isa, stream, args);
  const auto run =
      IsaEntry(isa, baseline::RunLinearTile, avx2::RunLinearTile, avx512::RunLinearTile);
  device::SubmitCpu(stream, [run, whole = WholeTile(args)](device::WorkerPool& pool) {
    const std::int64_t row_bytes = whole.columns * tensor::DTypeBytes(whole.weight_dtype);
    const std::int64_t outputs = LinearTileOutputs(whole.rows, row_bytes);
    pool.Run(whole.rows == 0 ? 0 : PieceCount(whole.outputs, outputs), [&](std::int64_t piece) {
      const LinearTile part = PartOf(whole, piece * outputs, outputs);
      run(&part);
    });
  });
}

}  // namespace glint::kernels
