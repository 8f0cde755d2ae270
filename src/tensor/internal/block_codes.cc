// SPDX-License-Identifier: Apache-2.0
#include "tensor/internal/block_codes.h"

#include <cstring>

#include "base/check.h"

namespace glint::tensor {
namespace {

std::uint8_t Byte(const std::byte* bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

// The low nibbles of 16 bytes, then the high ones.
PartCodes Halves(const std::byte* bytes) {
  PartCodes codes;
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = Byte(bytes, i) & 15;
    codes[i + 16] = static_cast<std::uint8_t>(Byte(bytes, i) >> 4);
  }
  return codes;
}

// One nibble of each of 32 bytes: low in the even parts of Q4_K and Q5_K, high in the odd ones.
PartCodes Nibbles(const std::byte* bytes, int shift) {
  PartCodes codes;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>((Byte(bytes, i) >> shift) & 15);
  }
  return codes;
}

// Q5_0 and Q5_1: the fifth bits are those of a word, in the order of columns.
void AddBitsOfWord(const std::byte* bits, PartCodes& codes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bits, sizeof(word));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] |= static_cast<std::uint8_t>(((word >> i) & 1) << 4);
  }
}

// `mask` of each of 32 bytes, shifted down, above the low four bits.
void AddBitsOfBytes(const std::byte* bytes, int shift, int mask, PartCodes& codes) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] |= static_cast<std::uint8_t>(((Byte(bytes, i) >> shift) & mask) << 4);
  }
}

}  // namespace

PartCodes UnpackPacked(const std::byte* bytes) {
  PartCodes codes;
  for (std::size_t i = 0; i < 16; ++i) {
    codes[2 * i] = Byte(bytes, i) & 15;
    codes[2 * i + 1] = static_cast<std::uint8_t>(Byte(bytes, i) >> 4);
  }
  return codes;
}

PartCodes UnpackPart(WeightFormat format, const std::byte* block, std::int64_t part) {
  PartCodes codes;
  const int nibble = part % 2 == 0 ? 0 : 4;
  switch (format) {
    case WeightFormat::kMxfp4Block:
      return Halves(block + 1);
    case WeightFormat::kQ4_0:
      return Halves(block + 2);
    case WeightFormat::kQ4_1:
      return Halves(block + 4);
    case WeightFormat::kQ5_0:
      codes = Halves(block + 6);
      AddBitsOfWord(block + 2, codes);
      return codes;
    case WeightFormat::kQ5_1:
      codes = Halves(block + 8);
      AddBitsOfWord(block + 4, codes);
      return codes;
    case WeightFormat::kQ8_0:
      std::memcpy(codes.data(), block + 2, codes.size());
      return codes;
    case WeightFormat::kQ4K:
      return Nibbles(block + 16 + part / 2 * 32, nibble);
    case WeightFormat::kQ5K:
      codes = Nibbles(block + 48 + part / 2 * 32, nibble);
      AddBitsOfBytes(block + 16, static_cast<int>(part), 1, codes);
      return codes;
    case WeightFormat::kQ6K:
      codes = Nibbles(block + part / 4 * 64 + part % 2 * 32, part % 4 < 2 ? 0 : 4);
      AddBitsOfBytes(block + 128 + part / 4 * 32, static_cast<int>(2 * (part % 4)), 3, codes);
      return codes;
    default:
      CheckFailed("a block format", "UnpackPart");
  }
}

}  // namespace glint::tensor
