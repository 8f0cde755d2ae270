// SPDX-License-Identifier: Apache-2.0
// What the kernels of BlockTile share: how each interleaved format (tensor/interleaved.h) is read,
// and what is done to the outputs; as isa_vector.h, always inlined.
#pragma once

#include "kernels/isa_dot.h"
#include "kernels/isa_int8.h"
#include "kernels/linear/block_tile.h"
#include "tensor/dtype.h"
#include "tensor/weight_view.h"

namespace glint::kernels::GLINT_ISA {

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

// Calls run with a value of the type above that reads the tile's weight.
template <typename Run>
GLINT_ISA_INLINE void WithFormat(const BlockTile& tile, const Run& run) {
  using tensor::WeightFormat;
  switch (tile.format) {
    case WeightFormat::kQ4_0:
      return run(Q40{});
    case WeightFormat::kQ4_1:
      return run(Q41{});
    case WeightFormat::kQ5_0:
      return run(Q50{});
    case WeightFormat::kQ5_1:
      return run(Q51{});
    case WeightFormat::kQ8_0:
      return run(Q80{});
    case WeightFormat::kQ4K:
      return run(Q4K{});
    case WeightFormat::kQ5K:
      return run(Q5K{});
    case WeightFormat::kQ6K:
      return run(Q6K{});
    case WeightFormat::kMxfp4:
    case WeightFormat::kMxfp4Block:
      return run(Mxfp4{});
    case WeightFormat::kInt8Channel:
      return run(Int8{});
    default:
      if (tile.group == 32) return run(Int4<1>{});
      if (tile.group == 64) return run(Int4<2>{});
      return run(Int4<4>{});
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

// Scales by channel, then the bias.
GLINT_ISA_INLINE void Finish(const BlockTile& tile) {
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

}  // namespace glint::kernels::GLINT_ISA
