// SPDX-License-Identifier: Apache-2.0
#include "tensor/block_format.h"

#include <cstring>

#include "base/check.h"

namespace glint::tensor {
namespace {

// Where the parts of a block begin, in bytes.
constexpr std::int64_t kQ50High = 2;
constexpr std::int64_t kQ51High = 4;
constexpr std::int64_t kKScales = 4;  // of Q4_K and Q5_K
constexpr std::int64_t kQ4KCodes = 16;
constexpr std::int64_t kQ5KHigh = 16;
constexpr std::int64_t kQ5KCodes = 48;
constexpr std::int64_t kQ6KHigh = 128;
constexpr std::int64_t kQ6KScales = 192;
constexpr std::int64_t kQ6KScale = 208;

int Byte(const std::byte* block, std::int64_t at) { return static_cast<int>(block[at]); }

double Half(const std::byte* block, std::int64_t at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block + at, sizeof(bits));
  return F16ToFloat(bits);
}

// Of 32 nibbles in 16 bytes: the low ones first, then the high ones.
int HalvesNibble(const std::byte* codes, std::int64_t index) {
  const int byte = Byte(codes, index % 16);
  return index < 16 ? byte & 15 : byte >> 4;
}

// Of 256 nibbles in groups of 64: 32 low ones, then the 32 high ones of the same bytes.
int GroupsNibble(const std::byte* codes, std::int64_t index) {
  const int byte = Byte(codes, index / 64 * 32 + index % 32);
  return index % 64 < 32 ? byte & 15 : byte >> 4;
}

int HighBit(const std::byte* bits, std::int64_t index) {
  return (Byte(bits, index / 8) >> (index % 8)) & 1;
}

int Q6KCode(const std::byte* block, std::int64_t index) {
  const std::int64_t half = index / 128;
  const std::int64_t quarter = index % 128 / 32;
  const std::int64_t lane = index % 32;
  const int low = Byte(block, half * 64 + quarter % 2 * 32 + lane);
  const int high = Byte(block, kQ6KHigh + half * 32 + lane) >> (2 * quarter);
  return (quarter < 2 ? low & 15 : low >> 4) | ((high & 3) << 4);
}

double KQuantElement(WeightFormat format, const std::byte* block, std::int64_t index) {
  const ScaleMin packed = UnpackScaleMin(block + kKScales, index / 32);
  return Half(block, 0) * packed.scale * BlockCode(format, block, index) -
         Half(block, 2) * packed.min;
}

}  // namespace

std::optional<BlockShape> BlockOf(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return BlockShape{32, 18};
    case WeightFormat::kQ4_1:
      return BlockShape{32, 20};
    case WeightFormat::kQ5_0:
      return BlockShape{32, 22};
    case WeightFormat::kQ5_1:
      return BlockShape{32, 24};
    case WeightFormat::kQ8_0:
      return BlockShape{32, 34};
    case WeightFormat::kQ4K:
      return BlockShape{256, 144};
    case WeightFormat::kQ5K:
      return BlockShape{256, 176};
    case WeightFormat::kQ6K:
      return BlockShape{256, 210};
    case WeightFormat::kMxfp4Block:
      return BlockShape{32, 17};
    default:
      return std::nullopt;
  }
}

ScaleMin UnpackScaleMin(const std::byte* packed, std::int64_t index) {
  const auto byte = [packed](std::int64_t at) { return Byte(packed, at); };
  if (index < 4) {
    return {static_cast<std::uint8_t>(byte(index) & 63),
            static_cast<std::uint8_t>(byte(index + 4) & 63)};
  }
  return {static_cast<std::uint8_t>((byte(index + 4) & 15) | ((byte(index - 4) >> 6) << 4)),
          static_cast<std::uint8_t>((byte(index + 4) >> 4) | ((byte(index) >> 6) << 4))};
}

int BlockCode(WeightFormat format, const std::byte* block, std::int64_t index) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return HalvesNibble(block + 2, index);
    case WeightFormat::kQ4_1:
      return HalvesNibble(block + 4, index);
    case WeightFormat::kQ5_0:
      return HalvesNibble(block + 6, index) | (HighBit(block + kQ50High, index) << 4);
    case WeightFormat::kQ5_1:
      return HalvesNibble(block + 8, index) | (HighBit(block + kQ51High, index) << 4);
    case WeightFormat::kQ8_0:
      return static_cast<std::int8_t>(block[2 + index]);
    case WeightFormat::kQ4K:
      return GroupsNibble(block + kQ4KCodes, index);
    case WeightFormat::kQ5K: {
      const int high = (Byte(block, kQ5KHigh + index % 32) >> (index / 32)) & 1;
      return GroupsNibble(block + kQ5KCodes, index) | (high << 4);
    }
    case WeightFormat::kQ6K:
      return Q6KCode(block, index);
    default:
      CheckFailed("a block format with integer codes", "BlockCode");
  }
}

double BlockElement(WeightFormat format, const std::byte* block, std::int64_t index) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return Half(block, 0) * (BlockCode(format, block, index) - 8);
    case WeightFormat::kQ5_0:
      return Half(block, 0) * (BlockCode(format, block, index) - 16);
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ5_1:
      return Half(block, 0) * BlockCode(format, block, index) + Half(block, 2);
    case WeightFormat::kQ8_0:
      return Half(block, 0) * BlockCode(format, block, index);
    case WeightFormat::kQ4K:
    case WeightFormat::kQ5K:
      return KQuantElement(format, block, index);
    case WeightFormat::kQ6K: {
      const auto scale = static_cast<std::int8_t>(block[kQ6KScales + index / 16]);
      return Half(block, kQ6KScale) * scale * (BlockCode(format, block, index) - 32);
    }
    case WeightFormat::kMxfp4Block:
      return double{E8M0ToFloat(static_cast<std::uint8_t>(block[0]))} *
             E2M1ToFloat(static_cast<std::uint8_t>(HalvesNibble(block + 1, index)));
    default:
      CheckFailed("a block format", "BlockElement");
  }
}

}  // namespace glint::tensor
