// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "device/cpu/cpu_device.h"
#include "kernels/internal/cpu_dispatch.h"
#include "kernels/linear/block_tile.h"
#include "kernels/linear/linear_tile.h"
#include "kernels/moe/moe_combine.h"
#include "kernels/moe/moe_cpu.h"
#include "kernels/moe/moe_reference.h"
#include "kernels/quantize_activation/quantize_rows.h"
#include "kernels/silu_mul/silu_mul_rows.h"

namespace glint::kernels {
namespace {

struct Entries {
  void (*linear)(const LinearTile*);
  void (*blocks)(const BlockTile*);
  void (*quantize)(const QuantizeRows*);
  void (*silu_mul)(const SiluMulRows*);
  void (*combine)(const MoeCombine*);
};

// What lies in the scratch. Slots are numbered row * top_k + slot; `order` lists those that name
// an expert, by expert and then ascending, and a group is a run of one expert in it.
struct Scratch {
  float* gate;          // [slots, I] in the order of `order`; silu(gate) * up afterwards
  float* up;            // [slots, I] in the order of `order`
  float* down;          // [slots, H] by slot
  std::int32_t* order;  // [slots]
  std::int32_t* rows;   // [slots] the row of each entry of `order`
  std::int32_t* group;  // [slots + 1] where each group starts, and the end of the last
  // Of integer products: `gate` quantised.
  std::int8_t* q;  // [slots, I] in the order of `order`
  float* scales;   // [slots, I / 32]
  float* sums;     // [slots, I / 32]
};

std::int64_t QuantizedGroups(std::int64_t intermediate) {
  return PieceCount(intermediate, kBlockTileGroup);
}

Scratch LayOut(const MoeArgs& args) {
  const std::int64_t slots = args.out.rows * args.top_k;
  Scratch scratch{};
  scratch.gate = static_cast<float*>(args.scratch);
  scratch.up = scratch.gate + slots * args.form.gate.rows;
  scratch.down = scratch.up + slots * args.form.gate.rows;
  scratch.scales = scratch.down + slots * args.out.columns;
  scratch.sums = scratch.scales + slots * QuantizedGroups(args.form.gate.rows);
  scratch.order =
      reinterpret_cast<std::int32_t*>(scratch.sums + slots * QuantizedGroups(args.form.gate.rows));
  scratch.rows = scratch.order + slots;
  scratch.group = scratch.rows + slots;
  scratch.q = reinterpret_cast<std::int8_t*>(scratch.group + slots + 1);
  return scratch;
}

// Fills the three lists; returns the number of groups. Sorts in place: a step has few slots, and
// counting would need room for every expert.
std::int64_t GroupSlots(const MoeArgs& args, const Scratch& scratch) {
  const std::int64_t slots = args.out.rows * args.top_k;
  std::int64_t count = 0;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    if (args.expert_ids[slot] >= 0) scratch.order[count++] = static_cast<std::int32_t>(slot);
  }
  std::sort(scratch.order, scratch.order + count, [&](std::int32_t a, std::int32_t b) {
    const std::int32_t expert_a = args.expert_ids[a];
    const std::int32_t expert_b = args.expert_ids[b];
    return expert_a != expert_b ? expert_a < expert_b : a < b;
  });
  std::int64_t groups = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    scratch.rows[i] = static_cast<std::int32_t>(scratch.order[i] / args.top_k);
    const bool is_first =
        i == 0 || args.expert_ids[scratch.order[i]] != args.expert_ids[scratch.order[i - 1]];
    if (is_first) scratch.group[groups++] = static_cast<std::int32_t>(i);
  }
  scratch.group[groups] = static_cast<std::int32_t>(count);
  return groups;
}

// A group's part of one matrix: outputs [first, first + count).
struct Part {
  std::int64_t begin;  // of the group in `order`
  std::int64_t rows;
  const ExpertView* expert;
  std::int64_t first;
  std::int64_t count;
};

Part PartOf(const MoeArgs& args, const Scratch& scratch, std::int64_t group, std::int64_t first,
            std::int64_t count) {
  const std::int64_t begin = scratch.group[group];
  return {begin, scratch.group[group + 1] - begin,
          args.experts + args.expert_ids[scratch.order[begin]], first, count};
}

LinearTile TileOf(const tensor::WeightView& weight, const Part& part) {
  LinearTile tile;
  tile.columns = weight.columns;
  tile.weight_dtype = weight.data.dtype;
  tile.weight =
      weight.data.data + part.first * weight.columns * tensor::DTypeBytes(weight.data.dtype);
  tile.rows = part.rows;
  tile.outputs = part.count;
  return tile;
}

// gate = silu(gate) * up of a part, of rows of `width`.
void RunSiluMul(const Scratch& scratch, const Entries& entries, const Part& part,
                std::int64_t width) {
  float* gate = scratch.gate + part.begin * width + part.first;
  const float* up = scratch.up + part.begin * width + part.first;
  const SiluMulRows silu{gate, up, gate, width, width, width, part.rows, part.count};
  entries.silu_mul(&silu);
}

void RunGateAndUp(const MoeArgs& args, const Scratch& scratch, const Entries& entries,
                  const Part& part) {
  const std::int64_t width = args.form.gate.rows;
  const std::int64_t offset = part.begin * width + part.first;
  LinearTile tile = TileOf(part.expert->gate, part);
  tile.x = static_cast<const float*>(args.x.data);
  tile.x_stride = args.x.stride;
  tile.x_rows = scratch.rows + part.begin;
  tile.out = scratch.gate + offset;
  tile.out_stride = width;
  entries.linear(&tile);
  const LinearTile up = TileOf(part.expert->up, part);
  tile.weight = up.weight;
  tile.weight_dtype = up.weight_dtype;
  tile.out = scratch.up + offset;
  entries.linear(&tile);
  RunSiluMul(scratch, entries, part, width);
}

void RunDown(const MoeArgs& args, const Scratch& scratch, const Entries& entries,
             const Part& part) {
  LinearTile tile = TileOf(part.expert->down, part);
  tile.x = scratch.gate + part.begin * args.form.gate.rows;
  tile.x_stride = args.form.gate.rows;
  tile.out = scratch.down + part.first;
  tile.out_stride = args.out.columns;
  tile.out_rows = scratch.order + part.begin;
  entries.linear(&tile);
}

void RunBlockGateAndUp(const MoeArgs& args, const Scratch& scratch, const Entries& entries,
                       const Part& part) {
  const std::int64_t width = args.form.gate.rows;
  const std::int64_t offset = part.begin * width + part.first;
  const auto run = [&](const tensor::WeightView& weight, float* out) {
    BlockTile tile = BlockTileOf(weight, part.first, part.count);
    SetInput(tile, args.quantized_x, 0);
    tile.x_rows = scratch.rows + part.begin;
    tile.rows = part.rows;
    tile.out = out + offset;
    tile.out_stride = width;
    entries.blocks(&tile);
  };
  run(part.expert->gate, scratch.gate);
  run(part.expert->up, scratch.up);
  RunSiluMul(scratch, entries, part, width);
  QuantizeRows quantize;
  quantize.x = scratch.gate + offset;
  quantize.x_stride = width;
  quantize.q = scratch.q + offset;
  quantize.q_stride = width;
  quantize.scales = scratch.scales + offset / kBlockTileGroup;
  quantize.sums = scratch.sums + offset / kBlockTileGroup;
  quantize.rows = part.rows;
  quantize.columns = part.count;
  quantize.group = kBlockTileGroup;
  entries.quantize(&quantize);
}

void RunBlockDown(const MoeArgs& args, const Scratch& scratch, const Entries& entries,
                  const Part& part) {
  const std::int64_t width = args.form.gate.rows;
  BlockTile tile = BlockTileOf(part.expert->down, part.first, part.count);
  tile.x = scratch.q + part.begin * width;
  tile.scales = scratch.scales + part.begin * (width / kBlockTileGroup);
  tile.sums = scratch.sums + part.begin * (width / kBlockTileGroup);
  tile.x_stride = width;
  tile.rows = part.rows;
  tile.out = scratch.down + part.first;
  tile.out_stride = args.out.columns;
  tile.out_rows = scratch.order + part.begin;
  entries.blocks(&tile);
}

// Calls run(part) on the pool for every group, its outputs in pieces.
template <typename RunPart>
void RunParts(device::WorkerPool& pool, const MoeArgs& args, const Scratch& scratch,
              std::int64_t groups, const tensor::WeightView& form, const RunPart& run) {
  const bool blocks = form.layout == tensor::WeightLayout::kInterleaved8;
  const std::int64_t row_bytes = tensor::DataPerRow(form) * tensor::DTypeBytes(form.data.dtype);
  const std::int64_t outputs = blocks ? BlockTileOutputs(args.out.rows, row_bytes)
                                      : LinearTileOutputs(args.out.rows, row_bytes);
  const std::int64_t pieces = PieceCount(form.rows, outputs);
  pool.Run(groups * pieces, [&](std::int64_t piece) {
    const std::int64_t first = piece % pieces * outputs;
    run(PartOf(args, scratch, piece / pieces, first, std::min(outputs, form.rows - first)));
  });
}

void Combine(device::WorkerPool& pool, const MoeArgs& args, const Scratch& scratch,
             const Entries& entries) {
  const std::int64_t rows = RowsOfPiece(args.out.columns * args.top_k);
  pool.Run(PieceCount(args.out.rows, rows), [&](std::int64_t piece) {
    const std::int64_t first = piece * rows;
    const std::int64_t slot = first * args.top_k;
    MoeCombine part;
    part.parts = scratch.down + slot * args.out.columns;
    part.ids = args.expert_ids + slot;
    part.weights = args.expert_weights + slot;
    part.top_k = args.top_k;
    part.addend = args.addend.data == nullptr ? nullptr : RowAt(args.addend, first);
    part.addend_stride = args.addend.stride;
    part.out = RowAt(args.out, first);
    part.out_stride = args.out.stride;
    part.rows = std::min(rows, args.out.rows - first);
    part.columns = args.out.columns;
    entries.combine(&part);
  });
}

void RunMoe(device::WorkerPool& pool, const MoeArgs& args, const Entries& entries) {
  const Scratch scratch = LayOut(args);
  const std::int64_t groups = GroupSlots(args, scratch);
  const bool blocks = args.x.data == nullptr;
  const auto gate_and_up = blocks ? RunBlockGateAndUp : RunGateAndUp;
  const auto down = blocks ? RunBlockDown : RunDown;
  RunParts(pool, args, scratch, groups, args.form.gate,
           [&](const Part& part) { gate_and_up(args, scratch, entries, part); });
  RunParts(pool, args, scratch, groups, args.form.down,
           [&](const Part& part) { down(args, scratch, entries, part); });
  Combine(pool, args, scratch, entries);
}

}  // namespace

std::int64_t MoeCpuScratchBytes(std::int64_t rows, std::int64_t top_k, std::int64_t intermediate,
                                std::int64_t hidden) {
  const std::int64_t slots = rows * top_k;
  const std::int64_t floats = 2 * intermediate + hidden + 2 * QuantizedGroups(intermediate);
  return slots * floats * static_cast<std::int64_t>(sizeof(float)) +
         (3 * slots + 1) * static_cast<std::int64_t>(sizeof(std::int32_t)) + slots * intermediate;
}

namespace {

// As for linear, and what lies between the matrices is quantised in the same way.
std::string BlockFallbackReason(const MoeArgs& args) {
  const QuantizedActivation& x = args.quantized_x;
  if (x.dtype != tensor::DType::kI8 || x.group != kBlockTileGroup || x.sums == nullptr ||
      args.intermediate_dtype != tensor::DType::kI8 || args.intermediate_group != kBlockTileGroup) {
    return CpuFallback("moe", "quantised input but I8 in groups of 32 with sums");
  }
  for (const tensor::WeightView* weight : {&args.form.gate, &args.form.up, &args.form.down}) {
    if (weight->layout == tensor::WeightLayout::kInterleaved8) continue;
    return CpuFallback("moe", format("quantised input with {} weights in rows",
                                     tensor::WeightFormatName(weight->format)));
  }
  return CpuFallbackOf("moe", args.addend, args.out);
}

}  // namespace

std::string CpuFallbackReason(const MoeArgs& args) {
  if (args.x.data == nullptr) return BlockFallbackReason(args);
  if (args.intermediate_dtype != tensor::DType::kF32) {
    return CpuFallback("moe",
                       format("{} intermediate", tensor::DTypeName(args.intermediate_dtype)));
  }
  for (const tensor::WeightView* weight : {&args.form.gate, &args.form.up, &args.form.down}) {
    if (std::string reason = CpuFallbackOf("moe", *weight); !reason.empty()) return reason;
  }
  return CpuFallbackOf("moe", args.x, args.addend, args.out);
}

void MoeCpu(Isa isa, device::Stream& stream, const MoeArgs& args) {
  if (const std::string reason = CpuFallbackReason(args); !reason.empty()) {
    device::ReportCpuFallback(stream, reason);
    device::SubmitCpu(stream, [args](device::WorkerPool&) { MoeReference(args); });
    return;
  }
  const std::int64_t needed =
      MoeCpuScratchBytes(args.out.rows, args.top_k, args.form.gate.rows, args.out.columns);
  GLINT_CHECK(args.scratch_bytes >= needed,
              format("moe: scratch of {} bytes, {} needed", args.scratch_bytes, needed));
  const Entries entries = {
      IsaEntry(isa, baseline::RunLinearTile, avx2::RunLinearTile, avx512::RunLinearTile),
      IsaEntry(isa, baseline::RunBlockTile, avx2::RunBlockTile, avx512::RunBlockTile,
               amx::RunBlockTile),
      IsaEntry(isa, baseline::RunQuantizeRows, avx2::RunQuantizeRows, avx512::RunQuantizeRows),
      IsaEntry(isa, baseline::RunSiluMulRows, avx2::RunSiluMulRows, avx512::RunSiluMulRows),
      IsaEntry(isa, baseline::RunMoeCombine, avx2::RunMoeCombine, avx512::RunMoeCombine)};
  device::SubmitCpu(stream,
                    [args, entries](device::WorkerPool& pool) { RunMoe(pool, args, entries); });
}

}  // namespace glint::kernels
