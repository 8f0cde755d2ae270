// SPDX-License-Identifier: Apache-2.0
// BlockTile on the tiles of Intel AMX: sixteen rows with sixteen outputs at a time. Sums and their
// order are those of block_tile_cpu.cc, and so are the bits.
#include "kernels/isa_amx.h"
#include "kernels/linear/block_formats.h"
#include "kernels/linear/block_tile.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// With fewer rows the tiles of AVX-512 are as fast: a tile costs the same, full or not.
constexpr int64_t kFewestRows = 8;
constexpr int64_t kMostColumns = 16384;
// Input that is packed at once, and stays in the second-level cache.
constexpr int64_t kInputBytes = kTileRows * kMostColumns;
constexpr int64_t kPartBytes = kTileRows * kBlockTileGroup;

// The registers: sums, x and codes of a part, and of half a part.
enum : int { kSum, kOtherSum, kX, kCodes, kHalfX, kHalfCodes };

constexpr int64_t kMostTiles = kInputBytes / kTileRows / 32;  // of rows, with the fewest columns

// What the tiles of rows read: where their bytes lie, and scales and sums as [tile, part, row].
struct Packed {
  alignas(64) int8_t copies[kInputBytes];  // [tile, row, column] of tiles whose rows lie apart
  float scales[kInputBytes / kBlockTileGroup];
  float sums[kInputBytes / kBlockTileGroup];
};

// The codes of sixteen outputs, [part, vector, 64], and what their sums are multiplied with.
struct Unpacked {
  alignas(64) uint8_t codes[kMostColumns / kBlockTileGroup * kPartBytes];
  PartScales scales[kMostColumns / kBlockTileGroup];
  F32xN half_scales[kMostColumns / kBlockTileGroup][2];  // of formats with a scale for each 16
};

// Sixteen rows of bytes, `stride` apart.
struct TileInput {
  const int8_t* x;
  int64_t stride;
};

// The rows [row, row + 16), or those of them before `last`, and zeros.
TileInput InputOf(const BlockTile& tile, int64_t row, int64_t last, int8_t* copy) {
  if (tile.x_rows == nullptr && row + kTileRows <= last) {
    return {tile.x + row * tile.x_stride, tile.x_stride};
  }
  for (int64_t r = 0; r < kTileRows; ++r) {
    int8_t* to = copy + r * tile.columns;
    if (row + r < last) {
      memcpy(to, tile.x + RowOf(tile.x_rows, row + r) * tile.x_stride, tile.columns);
    } else {
      memset(to, 0, tile.columns);
    }
  }
  return {copy, tile.columns};
}

// The scales and sums of those rows; of what is not there, whatever was.
void PackScales(const BlockTile& tile, int64_t row, int64_t last, float* scales, float* sums) {
  const int64_t parts = tile.columns / kBlockTileGroup;
  const int64_t rows = last - row < kTileRows ? last - row : kTileRows;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t from = RowOf(tile.x_rows, row + r) * tile.x_stride / kBlockTileGroup;
    for (int64_t part = 0; part < parts; ++part) {
      scales[part * kTileRows + r] = tile.scales[from + part];
      sums[part * kTileRows + r] = tile.sums[from + part];
    }
  }
}

template <typename Format>
constexpr bool kHasHalfScales = requires(GroupBytes part) { Format::RunScale(part, 0); };

template <typename Format>
void Unpack(GroupBytes weight, int64_t parts, Unpacked& to) {
  for (int64_t index = 0; index < parts; index += Format::kParts) {
    const typename Format::Head head = Format::LoadHead(weight);
    weight = weight + Format::kHead;
    for (int64_t part = index; part < index + Format::kParts; ++part) {
      to.scales[part] = Format::Scales(head, weight);
      if constexpr (kHasHalfScales<Format>) {
        to.half_scales[part][0] = ToFloat(Format::RunScale(weight, 0));
        to.half_scales[part][1] = ToFloat(Format::RunScale(weight, 1));
      }
      const GroupBytes codes = weight + Format::kPartHead;
#pragma GCC unroll 8
      for (int64_t v = 0; v < 8; ++v) {
        const auto code = Format::Codes(codes, v);
        memcpy(to.codes + part * kPartBytes + v * 64, &code, sizeof(code));
      }
      weight = weight + (Format::kPartHead + Format::kCodes);
    }
  }
}

// Sixteen rows' integer sums of a part with sixteen outputs.
struct PartSums {
  alignas(64) int32_t whole[kTileRows * kVectorLanes];
  alignas(64) int32_t second_half[kTileRows * kVectorLanes];  // then `whole` has the first
};

template <typename Format>
GLINT_ISA_INLINE void MultiplyPart(TileInput input, const uint8_t* codes, PartSums& sums) {
  constexpr bool kSigned = __is_same(decltype(Format::Codes(GroupBytes{}, 0)), I8x4N);
  ZeroTile<kSum>();
  if constexpr (kHasHalfScales<Format>) {
    ZeroTile<kOtherSum>();
    LoadTile<kHalfX>(input.x, input.stride);
    LoadTile<kHalfCodes>(codes, 64);
    AddTileProducts<kSum, kHalfX, kHalfCodes, kSigned>();
    LoadTile<kHalfX>(input.x + kBlockTileGroup / 2, input.stride);
    LoadTile<kHalfCodes>(codes + kPartBytes / 2, 64);
    AddTileProducts<kOtherSum, kHalfX, kHalfCodes, kSigned>();
    StoreTile<kOtherSum>(sums.second_half, 64);
  } else {
    LoadTile<kX>(input.x, input.stride);
    LoadTile<kCodes>(codes, 64);
    AddTileProducts<kSum, kX, kCodes, kSigned>();
  }
  StoreTile<kSum>(sums.whole, 64);
}

GLINT_ISA_INLINE F32xN FloatsOf(const int32_t* from) {
  I32xN value;
  memcpy(&value, from, sizeof(value));
  return ToFloat(value);
}

// The sum of row r. Two halves, each times a scale of eight bits, stay below 2^24: exact in F32.
template <typename Format>
GLINT_ISA_INLINE F32xN WholeOf(const PartSums& sums, const F32xN* half_scales, int64_t r) {
  const F32xN whole = FloatsOf(sums.whole + r * kVectorLanes);
  if constexpr (!kHasHalfScales<Format>) return whole;
  return MulAdd(whole, half_scales[0],
                FloatsOf(sums.second_half + r * kVectorLanes) * half_scales[1]);
}

// sums[r] += the products of a part of row r with sixteen outputs.
template <typename Format>
GLINT_ISA_INLINE void AddPart(const PartSums& integers, const Unpacked& weight, int64_t part,
                              const float* scales, const float* input_sums, F32xN* sums) {
  const PartScales of_weight = weight.scales[part];
#pragma GCC unroll 16
  for (int64_t r = 0; r < kTileRows; ++r) {
    const F32xN whole = WholeOf<Format>(integers, weight.half_scales[part], r);
    const int64_t at = part * kTileRows + r;
    sums[r] = MulAdd(whole, of_weight.scale * SplatN(scales[at]), sums[r]);
    if constexpr (Format::kMinimum) {
      sums[r] = MulAdd(of_weight.minimum, SplatN(input_sums[at]), sums[r]);
    }
  }
}

// The same over all parts. A part is multiplied before the one ahead of it is scaled, so that
// neither waits for the other.
template <typename Format>
GLINT_ISA_INLINE void Tile(TileInput input, const float* scales, const float* input_sums,
                           const Unpacked& weight, int64_t parts, F32xN* sums) {
  PartSums integers[2];
  MultiplyPart<Format>(input, weight.codes, integers[0]);
  for (int64_t part = 0; part < parts; ++part) {
    input.x += kBlockTileGroup;
    if (part + 1 < parts) {
      MultiplyPart<Format>(input, weight.codes + (part + 1) * kPartBytes, integers[(part + 1) % 2]);
    }
    AddPart<Format>(integers[part % 2], weight, part, scales, input_sums, sums);
  }
}

GLINT_ISA_INLINE void StoreRows(const BlockTile& tile, int64_t row, int64_t rows, int64_t output,
                                const F32xN* sums) {
#pragma GCC unroll 16
  for (int64_t r = 0; r < kTileRows; ++r) {
    if (r >= rows) break;
    StoreOutputs(tile.out + RowOf(tile.out_rows, row + r) * tile.out_stride + output, sums[r],
                 tile.outputs - output);
  }
}

// The rows [first, last), which fit `packed`.
template <typename Format>
void RunRows(const BlockTile& tile, int64_t first, int64_t last, int64_t group_bytes,
             Packed& packed, Unpacked& unpacked) {
  const int64_t parts = tile.columns / kBlockTileGroup;
  TileInput inputs[kMostTiles];
  for (int64_t row = first; row < last; row += kTileRows) {
    const int64_t at = (row - first) * parts;
    inputs[(row - first) / kTileRows] =
        InputOf(tile, row, last, packed.copies + at * kBlockTileGroup);
    PackScales(tile, row, last, packed.scales + at, packed.sums + at);
  }
  for (int64_t output = 0; output < tile.outputs; output += kVectorLanes) {
    const auto* weight = static_cast<const uint8_t*>(tile.weight) + output / 8 * group_bytes;
    const bool is_last = output + 8 == tile.outputs;
    Unpack<Format>({weight, is_last ? 0 : group_bytes}, parts, unpacked);
    for (int64_t row = first; row < last; row += kTileRows) {
      const int64_t at = (row - first) * parts;
      F32xN sums[kTileRows] = {};
      Tile<Format>(inputs[(row - first) / kTileRows], packed.scales + at, packed.sums + at,
                   unpacked, parts, sums);
      StoreRows(tile, row, last - row, output, sums);
    }
  }
}

template <typename Format>
void Run(const BlockTile& tile) {
  constexpr int64_t kBlockBytes =
      Format::kHead + Format::kParts * (Format::kPartHead + Format::kCodes);
  const int64_t group_bytes = tile.columns / (kBlockTileGroup * Format::kParts) * kBlockBytes;
  const int64_t block = kInputBytes / tile.columns / kTileRows * kTileRows;
  Packed packed;
  Unpacked unpacked;
  for (int64_t first = 0; first < tile.rows; first += block) {
    const int64_t last = first + block < tile.rows ? first + block : tile.rows;
    RunRows<Format>(tile, first, last, group_bytes, packed, unpacked);
  }
}

TileShapes ShapesOfParts() {
  TileShapes shapes;
  SetShape(shapes, kSum, kTileRows, 64);
  SetShape(shapes, kOtherSum, kTileRows, 64);
  SetShape(shapes, kX, kTileRows, kBlockTileGroup);
  SetShape(shapes, kCodes, kBlockTileGroup / 4, 64);
  SetShape(shapes, kHalfX, kTileRows, kBlockTileGroup / 2);
  SetShape(shapes, kHalfCodes, kBlockTileGroup / 8, 64);
  return shapes;
}

}  // namespace

void RunBlockTile(const BlockTile* tile) {
  if (tile->rows < kFewestRows || tile->columns > kMostColumns) return avx512::RunBlockTile(tile);
  ConfigureTiles(ShapesOfParts());
  WithFormat(*tile, [&](auto format) { Run<decltype(format)>(*tile); });
  ReleaseTiles();
  Finish(*tile);
}

}  // namespace glint::kernels::GLINT_ISA
