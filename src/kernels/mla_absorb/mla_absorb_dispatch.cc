// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "base/format.h"
#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/linear/block_tile.h"
#include "kernels/mla_absorb/mla_absorb_cpu.h"
#include "kernels/mla_absorb/mla_absorb_piece.h"
#include "kernels/mla_absorb/mla_absorb_reference.h"

namespace glint::kernels {
namespace {

using Entry = void (*)(const MlaAbsorbPiece* piece);

std::string FallbackReason(const tensor::WeightView& kv_b, const Activation& input,
                           const Activation& output) {
  for (const Activation* rows : {&input, &output}) {
    if (rows->dtype != tensor::DType::kF32) {
      return format("activations are {}, not F32", tensor::DTypeName(rows->dtype));
    }
  }
  if (kv_b.format != tensor::WeightFormat::kPlain) {
    return format("kv_b is {}, not plain", tensor::WeightFormatName(kv_b.format));
  }
  if (kv_b.data.dtype != tensor::DType::kF32 && kv_b.data.dtype != tensor::DType::kBF16) {
    return format("kv_b is {}, not F32 or BF16", tensor::DTypeName(kv_b.data.dtype));
  }
  return {};
}

// What both operations give for head 0 and all rows, and how far the next head lies.
struct Heads {
  MlaAbsorbPiece first;
  std::int64_t weight_step;  // elements
  std::int64_t input_step;
  std::int64_t output_step;
};

// Neighbouring pieces are of one head, whose weights then stay in the cache.
void RunHeads(device::WorkerPool& pool, std::int64_t heads, std::int64_t rows, const Heads& given,
              Entry entry) {
  const std::int64_t tiles = (rows + kAbsorbTileRows - 1) / kAbsorbTileRows;
  const std::int64_t element = given.first.bf16 ? 2 : 4;
  pool.Run(heads * tiles, [&](std::int64_t index) {
    const std::int64_t head = index / tiles;
    MlaAbsorbPiece piece = given.first;
    piece.first_row = index % tiles * kAbsorbTileRows;
    piece.row_count = std::min(kAbsorbTileRows, rows - piece.first_row);
    piece.weights =
        static_cast<const std::byte*>(piece.weights) + head * given.weight_step * element;
    piece.input += head * given.input_step;
    piece.output += head * given.output_step;
    entry(&piece);
  });
}

MlaAbsorbPiece PieceOf(const BatchTables& tables, const tensor::WeightView& kv_b,
                       std::int64_t first_weight_row, std::int64_t weight_rows) {
  MlaAbsorbPiece piece = {};
  piece.row_sequence = tables.row_sequence;
  piece.bf16 = kv_b.data.dtype == tensor::DType::kBF16;
  piece.weights = static_cast<const std::byte*>(kv_b.data.data) +
                  first_weight_row * kv_b.columns * tensor::DTypeBytes(kv_b.data.dtype);
  piece.weight_rows = weight_rows;
  piece.kv_lora = kv_b.columns;
  return piece;
}

void SetRows(MlaAbsorbPiece& piece, const Activation& input, const Activation& output) {
  piece.input = static_cast<const float*>(input.data);
  piece.input_stride = input.stride;
  piece.output = static_cast<float*>(output.data);
  piece.output_stride = output.stride;
}

// A half of kv_b, head by head: see HeadProducts of the reference.
struct Half {
  std::int64_t heads;
  std::int64_t rows;
  QuantizedActivation input;
  std::int64_t input_stride;  // columns from head to head
  tensor::WeightView weight;
  Activation output;
};

std::string FallbackReason(const Half& half) {
  if (half.output.dtype != tensor::DType::kF32) {
    return format("activations are {}, not F32", tensor::DTypeName(half.output.dtype));
  }
  if (half.weight.layout != tensor::WeightLayout::kInterleaved8) {
    return format("half of kv_b is {} in rows", tensor::WeightFormatName(half.weight.format));
  }
  if (half.input.dtype != tensor::DType::kI8 || half.input.group != kBlockTileGroup ||
      half.input.sums == nullptr || half.weight.rows / half.heads % kBlockTileOutputs != 0) {
    return "quantised input is not I8 in groups of 32 with sums, or a head's rows no eights";
  }
  return {};
}

// Padding rows are computed like the others: they cost less than leaving them out.
void SubmitHalf(Isa isa, device::Stream& stream, const Half& half) {
  const auto run = IsaEntry(isa, baseline::RunBlockTile, avx2::RunBlockTile, avx512::RunBlockTile,
                            amx::RunBlockTile);
  device::SubmitCpu(stream, [run, half](device::WorkerPool& pool) {
    const std::int64_t outputs = half.weight.rows / half.heads;
    pool.Run(half.rows == 0 ? 0 : half.heads, [&](std::int64_t head) {
      BlockTile tile = BlockTileOf(half.weight, head * outputs, outputs);
      SetInput(tile, half.input, head * half.input_stride);
      tile.out = RowAt(half.output, 0) + head * outputs;
      tile.out_stride = half.output.stride;
      tile.rows = half.rows;
      run(&tile);
    });
  });
}

Half HalfOf(const MlaAbsorbQueryArgs& args) {
  return {args.heads, args.tables.row_count, args.quantized_q, args.query_head_stride,
          args.k_b,   args.q_latent};
}

Half HalfOf(const MlaExpandValueArgs& args) {
  return {args.heads, args.tables.row_count, args.quantized_latent, args.kv_lora, args.v_b,
          args.output};
}

}  // namespace

std::string MlaAbsorbQueryCpuFallbackReason(const MlaAbsorbQueryArgs& args) {
  if (args.k_b.data.data != nullptr) return FallbackReason(HalfOf(args));
  return FallbackReason(args.kv_b, args.q, args.q_latent);
}

std::string MlaExpandValueCpuFallbackReason(const MlaExpandValueArgs& args) {
  if (args.v_b.data.data != nullptr) return FallbackReason(HalfOf(args));
  return FallbackReason(args.kv_b, args.latent, args.output);
}

void MlaAbsorbQueryCpu(Isa isa, device::Stream& stream, const MlaAbsorbQueryArgs& args) {
  if (const std::string reason = MlaAbsorbQueryCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "mla_absorb_query: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { MlaAbsorbQueryReference(args); });
    return;
  }
  if (args.k_b.data.data != nullptr) return SubmitHalf(isa, stream, HalfOf(args));
  const Entry entry = IsaEntry(isa, baseline::MlaAbsorbQueryHead, avx2::MlaAbsorbQueryHead,
                               avx512::MlaAbsorbQueryHead);
  device::SubmitCpu(stream, [args, entry](device::WorkerPool& pool) {
    Heads heads = {PieceOf(args.tables, args.kv_b, 0, args.nope),
                   (args.nope + args.value) * args.kv_lora, args.query_head_stride, args.kv_lora};
    SetRows(heads.first, args.q, args.q_latent);
    RunHeads(pool, args.heads, args.tables.row_count, heads, entry);
  });
}

void MlaExpandValueCpu(Isa isa, device::Stream& stream, const MlaExpandValueArgs& args) {
  if (const std::string reason = MlaExpandValueCpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, "mla_expand_value: " + reason + ", reference");
    device::SubmitCpu(stream, [args](device::WorkerPool&) { MlaExpandValueReference(args); });
    return;
  }
  if (args.v_b.data.data != nullptr) return SubmitHalf(isa, stream, HalfOf(args));
  const Entry entry = IsaEntry(isa, baseline::MlaExpandValueHead, avx2::MlaExpandValueHead,
                               avx512::MlaExpandValueHead);
  device::SubmitCpu(stream, [args, entry](device::WorkerPool& pool) {
    Heads heads = {PieceOf(args.tables, args.kv_b, args.nope, args.value),
                   (args.nope + args.value) * args.kv_lora, args.kv_lora, args.value};
    SetRows(heads.first, args.latent, args.output);
    RunHeads(pool, args.heads, args.tables.row_count, heads, entry);
  });
}

}  // namespace glint::kernels
