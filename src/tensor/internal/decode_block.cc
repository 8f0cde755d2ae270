// SPDX-License-Identifier: Apache-2.0
#include "tensor/internal/decode_block.h"

#include <cstring>

#include "base/check.h"
#include "tensor/block_format.h"
#include "tensor/internal/block_codes.h"

namespace glint::tensor {
namespace {

double Half(const std::byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return F16ToFloat(bits);
}

// scale * (code - offset)
template <typename Out>
void Scale(const std::uint8_t* codes, std::size_t count, double scale, int offset, Out* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<Out>(scale * (static_cast<int>(codes[i]) - offset));
  }
}

// scale * code + minimum
template <typename Out>
void ScaleAndAdd(const PartCodes& codes, double scale, double minimum, Out* out) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    out[i] = static_cast<Out>(scale * static_cast<int>(codes[i]) + minimum);
  }
}

template <typename Out>
void DecodeKPart(const std::byte* block, std::int64_t part, const PartCodes& codes, Out* out) {
  const ScaleMin packed = UnpackScaleMin(block + 4, part);
  ScaleAndAdd(codes, Half(block) * packed.scale, -(Half(block + 2) * packed.min), out);
}

template <typename Out>
void DecodeQ6KPart(const std::byte* block, std::int64_t part, const PartCodes& codes, Out* out) {
  for (std::int64_t half = 0; half < 2; ++half) {
    const auto scale = static_cast<std::int8_t>(block[192 + 2 * part + half]);
    Scale(codes.data() + 16 * half, 16, Half(block + 208) * scale, 32, out + 16 * half);
  }
}

template <typename Out>
void DecodePart(WeightFormat format, const std::byte* block, std::int64_t part, Out* out) {
  const PartCodes codes = UnpackPart(format, block, part);
  switch (format) {
    case WeightFormat::kQ4_0:
      return Scale(codes.data(), codes.size(), Half(block), 8, out);
    case WeightFormat::kQ5_0:
      return Scale(codes.data(), codes.size(), Half(block), 16, out);
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ5_1:
      return ScaleAndAdd(codes, Half(block), Half(block + 2), out);
    case WeightFormat::kQ8_0:
      for (std::size_t i = 0; i < codes.size(); ++i) {
        out[i] = static_cast<Out>(Half(block) * static_cast<std::int8_t>(codes[i]));
      }
      return;
    case WeightFormat::kQ4K:
    case WeightFormat::kQ5K:
      return DecodeKPart(block, part, codes, out);
    case WeightFormat::kQ6K:
      return DecodeQ6KPart(block, part, codes, out);
    default: {
      const double scale = E8M0ToFloat(static_cast<std::uint8_t>(block[0]));
      for (std::size_t i = 0; i < codes.size(); ++i) {
        out[i] = static_cast<Out>(scale * E2M1ToFloat(codes[i]));
      }
    }
  }
}

}  // namespace

template <typename Out>
void DecodeBlockAs(WeightFormat format, const std::byte* block, Out* out) {
  const auto shape = BlockOf(format);
  GLINT_CHECK(shape.has_value(), "a block format");
  for (std::int64_t part = 0; part < shape->elements / kPartColumns; ++part) {
    DecodePart(format, block, part, out + part * kPartColumns);
  }
}

template void DecodeBlockAs<float>(WeightFormat format, const std::byte* block, float* out);
template void DecodeBlockAs<double>(WeightFormat format, const std::byte* block, double* out);

void DecodeBlock(WeightFormat format, const std::byte* block, float* out) {
  DecodeBlockAs(format, block, out);
}

}  // namespace glint::tensor
