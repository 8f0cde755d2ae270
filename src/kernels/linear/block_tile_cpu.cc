// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_dot.h"
#include "kernels/isa_int8.h"
#include "kernels/linear/block_tile.h"

namespace glint::kernels::GLINT_ISA {
namespace {

using tensor::WeightFormat;

// Half the vector registers hold a tile's sums: one of integers and one of floats for each row.
constexpr int64_t kRowsOfTile = kVectorLanes == 16 ? 8 : 4;
// Input that stays in the second-level cache while a piece's weights pass by.
constexpr int64_t kInputBytes = int64_t{128} * 1024;

// What multiplies the integer sum of a part (32 columns), and what multiplies the input's sum.
struct PartScales {
  F32xN scale;
  F32xN minimum;
};

// The codes v and v + 4 of 32 bytes of nibbles.
GLINT_ISA_INLINE U8x4N Nibbles(GroupBytes codes, int64_t v) {
  const U8x4N both = LoadBytes(codes + 32 * (v % 4));
  return (v < 4 ? both : (U8x4N)((U16x2N)both >> 4)) & 15;
}

template <tensor::DType kType>
GLINT_ISA_INLINE F32x8 LoadEight(const uint8_t* from) {
  return LoadAs<kType>(from, 0);
}
GLINT_ISA_INLINE F32xN Halves(GroupBytes from) {
  return OfGroups<LoadEight<tensor::DType::kF16>>(from);
}

// How a format is read; tensor/interleaved.h has the layout. kHead bytes of a block come before
// its kParts, kPartHead of a part before its codes.
//   Codes     of vector v; those with a sign are I8x4N
//   kMinimum  a part adds minimum * (the input's sum)
//   kRun      vectors v in a row whose pair products fit 16 bits: kRun * 2 * 127 * the largest code
struct Q40 {
  static constexpr int64_t kHead = 16, kPartHead = 0, kCodes = 128, kParts = 1;
  static constexpr bool kMinimum = true;
  static constexpr int64_t kRun = RunOf(8);  // 8 * 2 * 127 * 15 = 30,480
  struct Head {
    PartScales scales;
  };
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) {
    const F32xN d = Halves(block);
    return {{d, d * -8.0F}};
  }
  GLINT_ISA_INLINE PartScales Scales(const Head& head, GroupBytes) { return head.scales; }
  GLINT_ISA_INLINE U8x4N Codes(GroupBytes codes, int64_t v) { return Nibbles(codes, v); }
};

struct Q41 : Q40 {
  static constexpr int64_t kHead = 32;
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) { return {{Halves(block), Halves(block + 16)}}; }
};

// Groups of 32 columns times kParts.
template <int64_t kGroupParts>
struct Int4 : Q40 {
  static constexpr int64_t kParts = kGroupParts;
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) {
    const F32xN d = OfGroups<LoadEight<tensor::DType::kBF16>>(block);
    return {{d, d * -8.0F}};
  }
};

struct Q4K : Q40 {
  static constexpr int64_t kHead = 32, kPartHead = 16, kParts = 8;
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) {
    return {{Halves(block), -Halves(block + 16)}};
  }
  GLINT_ISA_INLINE PartScales Scales(const Head& head, GroupBytes part) {
    return {head.scales.scale * ToFloat(UnsignedBytes(part)),
            head.scales.minimum * ToFloat(UnsignedBytes(part + 8))};
  }
};

// Vector v of the upper bits of five, of the bytes behind the nibbles.
GLINT_ISA_INLINE U8x4N FifthBits(GroupBytes codes, int64_t v) {
  const U16x2N bits = (U16x2N)LoadBytes(codes + 128);
  return (U8x4N)(v < 4 ? bits << (4 - v) : bits >> (v - 4)) & 0x10;
}

struct Q50 : Q40 {
  static constexpr int64_t kCodes = 160;
  static constexpr int64_t kRun = RunOf(4);  // 4 * 2 * 127 * 31 = 31,496
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) {
    const F32xN d = Halves(block);
    return {{d, d * -16.0F}};
  }
  GLINT_ISA_INLINE U8x4N Codes(GroupBytes codes, int64_t v) {
    return Nibbles(codes, v) | FifthBits(codes, v);
  }
};

struct Q51 : Q50 {
  static constexpr int64_t kHead = 32;
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) { return Q41::LoadHead(block); }
};

struct Q5K : Q4K {
  static constexpr int64_t kCodes = Q50::kCodes, kRun = Q50::kRun;
  GLINT_ISA_INLINE U8x4N Codes(GroupBytes codes, int64_t v) { return Q50::Codes(codes, v); }
};

struct Q80 {
  static constexpr int64_t kHead = 16, kPartHead = 0, kCodes = 256, kParts = 1;
  static constexpr bool kMinimum = false;
  static constexpr int64_t kRun = RunOf(1);  // 2 * 127 * 128 = 32,512
  struct Head {
    F32xN d;
  };
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) { return {Halves(block)}; }
  GLINT_ISA_INLINE PartScales Scales(const Head& head, GroupBytes) { return {head.d, F32xN{}}; }
  GLINT_ISA_INLINE I8x4N Codes(GroupBytes codes, int64_t v) {
    return (I8x4N)LoadBytes(codes + 32 * v);
  }
};

struct Int8 : Q80 {
  static constexpr int64_t kHead = 0;
  GLINT_ISA_INLINE Head LoadHead(GroupBytes) { return {SplatN(1.0F)}; }
};

struct Mxfp4 {
  static constexpr int64_t kHead = 8, kPartHead = 0, kCodes = 128, kParts = 1;
  static constexpr bool kMinimum = false;
  static constexpr int64_t kRun = RunOf(8);  // 8 * 2 * 127 * 12 = 24,384
  struct Head {
    F32xN half_scale;  // of codes that are twice their numbers
  };
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) {
    const U32xN e = (U32xN)UnsignedBytes(block);
    const U32xN is_special = (U32xN)((e == 0) | (e == 255));  // a subnormal, and NaN
    return {(F32xN)((e << 23) | (is_special & 0x00400000U)) * 0.5F};
  }
  GLINT_ISA_INLINE PartScales Scales(const Head& head, GroupBytes) {
    return {head.half_scale, F32xN{}};
  }
  GLINT_ISA_INLINE I8x4N Codes(GroupBytes codes, int64_t v) {
    constexpr int8_t kTwice[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    return LookUp(kTwice, Nibbles(codes, v));
  }
};

struct Q6K {
  static constexpr int64_t kHead = 16, kPartHead = 16, kCodes = 192, kParts = 8;
  static constexpr bool kMinimum = false;
  static constexpr int64_t kRun = 4;  // 4 * 2 * 127 * 32 = 32,512, and a scale for each run
  struct Head {
    F32xN d;
  };
  GLINT_ISA_INLINE Head LoadHead(GroupBytes block) { return {Halves(block)}; }
  GLINT_ISA_INLINE PartScales Scales(const Head& head, GroupBytes) { return {head.d, F32xN{}}; }
  GLINT_ISA_INLINE I8x4N Codes(GroupBytes codes, int64_t v) {
    const U16x2N pairs = (U16x2N)LoadBytes(codes + 128 + 32 * (v / 4));
    const U8x4N high = (U8x4N)(v % 4 < 2 ? pairs << (4 - 2 * (v % 4)) : pairs >> (2 * (v % 4) - 4));
    return (I8x4N)((Nibbles(codes, v) | (high & 0x30)) - 32);
  }
  GLINT_ISA_INLINE I32xN RunScale(GroupBytes part, int64_t run) {
    return SignedBytes(part + 8 * run);
  }
};

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

GLINT_ISA_INLINE int64_t RowOf(const int32_t* rows, int64_t row) {
  return rows == nullptr ? row : rows[row];
}

// The first of a vector's groups is always stored, the second where it is an output's.
GLINT_ISA_INLINE void StoreOutputs(float* to, F32xN sums, int64_t outputs) {
  if (outputs < kVectorLanes) {
    memcpy(to, &sums, 8 * sizeof(float));
  } else {
    memcpy(to, &sums, sizeof(sums));
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

void RunFormat(const BlockTile& tile) {
  switch (tile.format) {
    case WeightFormat::kQ4_0:
      return Run<Q40>(tile);
    case WeightFormat::kQ4_1:
      return Run<Q41>(tile);
    case WeightFormat::kQ5_0:
      return Run<Q50>(tile);
    case WeightFormat::kQ5_1:
      return Run<Q51>(tile);
    case WeightFormat::kQ8_0:
      return Run<Q80>(tile);
    case WeightFormat::kQ4K:
      return Run<Q4K>(tile);
    case WeightFormat::kQ5K:
      return Run<Q5K>(tile);
    case WeightFormat::kQ6K:
      return Run<Q6K>(tile);
    case WeightFormat::kMxfp4:
    case WeightFormat::kMxfp4Block:
      return Run<Mxfp4>(tile);
    case WeightFormat::kInt8Channel:
      return Run<Int8>(tile);
    default:
      if (tile.group == 32) return Run<Int4<1>>(tile);
      if (tile.group == 64) return Run<Int4<2>>(tile);
      return Run<Int4<4>>(tile);
  }
}

// Scales by channel, then the bias.
void Finish(const BlockTile& tile) {
  if (tile.channel_scales == nullptr && tile.bias == nullptr) return;
  for (int64_t row = 0; row < tile.rows; ++row) {
    float* out = tile.out + RowOf(tile.out_rows, row) * tile.out_stride;
    for (int64_t n = 0; n < tile.outputs; ++n) {
      if (tile.channel_scales != nullptr) {
        out[n] *= LoadOne(tile.channel_dtype, tile.channel_scales, n);
      }
      if (tile.bias != nullptr) out[n] += LoadOne(tile.bias_dtype, tile.bias, n);
    }
  }
}

}  // namespace

void RunBlockTile(const BlockTile* tile) {
  RunFormat(*tile);
  Finish(*tile);
}

}  // namespace glint::kernels::GLINT_ISA
