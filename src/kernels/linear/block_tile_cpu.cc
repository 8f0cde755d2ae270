// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/block_formats.h"
#include "kernels/linear/block_tile.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// Half the vector registers hold a tile's sums: one of integers and one of floats for each row.
constexpr int64_t kRowsOfTile = kVectorLanes == 16 ? 8 : 4;
// Input that stays in the second-level cache while a piece's weights pass by.
constexpr int64_t kInputBytes = int64_t{128} * 1024;

// Where a tile's rows are, and which 32 columns of them come next.
template <int kRows>
struct Input {
  const int8_t* x[kRows];
  const float* scales[kRows];
  const float* sums[kRows];
};

template <typename Format>
GLINT_ISA_INLINE I32xN Scaled(RunSum run_sum, GroupBytes part, int64_t run) {
  if constexpr (requires { Format::RunScale(part, run); }) {
    return RowSums(run_sum, Format::RunScale(part, run));
  } else {
    return RowSums(run_sum);
  }
}

// sums[r] += the products of 32 columns of row r with a vector's outputs.
template <typename Format, int kRows>
GLINT_ISA_INLINE void AddPart(const typename Format::Head& head, GroupBytes part,
                              const Input<kRows>& input, int64_t index, F32xN* sums) {
  const GroupBytes codes = part + Format::kPartHead;
  I32xN whole[kRows] = {};
#pragma GCC unroll kUnroll
  for (int64_t run = 0; run < 8 / Format::kRun; ++run) {
    RunSum run_sum[kRows] = {};
    RunSum offset = {};
#pragma GCC unroll kUnroll
    for (int64_t i = 0; i < Format::kRun; ++i) {
      const int64_t v = run * Format::kRun + i;
      const auto code = Format::Codes(codes, v);
      offset = RunOffset(offset, code);
#pragma GCC unroll kUnroll
      for (int r = 0; r < kRows; ++r) {
        run_sum[r] = AddProducts(run_sum[r], code, BroadcastFour(input.x[r] + 32 * index + 4 * v));
        KeepInRegister(run_sum[r]);
      }
    }
#pragma GCC unroll kUnroll
    for (int r = 0; r < kRows; ++r) {
      whole[r] += Scaled<Format>(run_sum[r] - offset, part, run);
      KeepInRegister(whole[r]);
    }
  }
  const PartScales scales = Format::Scales(head, part);
#pragma GCC unroll kUnroll
  for (int r = 0; r < kRows; ++r) {
    sums[r] = MulAdd(ToFloat(whole[r]), scales.scale * SplatN(input.scales[r][index]), sums[r]);
    if constexpr (Format::kMinimum) {
      sums[r] = MulAdd(scales.minimum, SplatN(input.sums[r][index]), sums[r]);
    }
  }
}

// kRows rows with the outputs from `output` on, whose weights begin at `weight`.
template <typename Format, int kRows>
GLINT_ISA_INLINE void Tile(const BlockTile& tile, int64_t row, GroupBytes weight, int64_t output) {
  constexpr int64_t kPartBytes = Format::kPartHead + Format::kCodes;
  Input<kRows> input;
  for (int r = 0; r < kRows; ++r) {
    const int64_t from = RowOf(tile.x_rows, row + r) * tile.x_stride;
    input.x[r] = tile.x + from;
    input.scales[r] = tile.scales + from / kBlockTileGroup;
    input.sums[r] = tile.sums + from / kBlockTileGroup;
  }
  F32xN sums[kRows] = {};
  const int64_t parts = tile.columns / kBlockTileGroup;
  for (int64_t index = 0; index < parts; index += Format::kParts) {
    const typename Format::Head head = Format::LoadHead(weight);
    weight = weight + Format::kHead;
    for (int64_t part = 0; part < Format::kParts; ++part, weight = weight + kPartBytes) {
      AddPart<Format, kRows>(head, weight, input, index + part, sums);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    StoreOutputs(tile.out + RowOf(tile.out_rows, row + r) * tile.out_stride + output, sums[r],
                 tile.outputs - output);
  }
}

template <typename Format>
GLINT_ISA_INLINE void TileRows(const BlockTile& tile, int64_t first, int64_t last,
                               GroupBytes weight, int64_t output) {
  static_assert(kRowsOfTile == 4 || kRowsOfTile == 8);  // or the rest is not covered below
  int64_t row = first;
  for (; row + kRowsOfTile <= last; row += kRowsOfTile) {
    Tile<Format, kRowsOfTile>(tile, row, weight, output);
  }
  if (kRowsOfTile == 8 && row + 4 <= last) {
    Tile<Format, 4>(tile, row, weight, output);
    row += 4;
  }
  const int64_t rest = last - row;
  if (rest == 3) Tile<Format, 3>(tile, row, weight, output);
  if (rest == 2) Tile<Format, 2>(tile, row, weight, output);
  if (rest == 1) Tile<Format, 1>(tile, row, weight, output);
}

template <typename Format>
void Run(const BlockTile& tile) {
  constexpr int64_t kBlockBytes =
      Format::kHead + Format::kParts * (Format::kPartHead + Format::kCodes);
  const int64_t group_bytes = tile.columns / (kBlockTileGroup * Format::kParts) * kBlockBytes;
  int64_t block = kInputBytes / tile.columns / kRowsOfTile * kRowsOfTile;
  if (block < 2 * kRowsOfTile) block = 2 * kRowsOfTile;
  for (int64_t first = 0; first < tile.rows; first += block) {
    const int64_t last = first + block < tile.rows ? first + block : tile.rows;
    for (int64_t output = 0; output < tile.outputs; output += kVectorLanes) {
      const auto* weight = static_cast<const uint8_t*>(tile.weight) + output / 8 * group_bytes;
      // A vector of two groups takes a last one twice and stores it once.
      const bool is_last = output + 8 == tile.outputs;
      TileRows<Format>(tile, first, last, {weight, is_last ? 0 : group_bytes}, output);
    }
  }
}

}  // namespace

void RunBlockTile(const BlockTile* tile) {
  WithFormat(*tile, [&](auto format) { Run<decltype(format)>(*tile); });
  Finish(*tile);
}

}  // namespace glint::kernels::GLINT_ISA
