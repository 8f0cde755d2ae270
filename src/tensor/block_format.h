// SPDX-License-Identifier: Apache-2.0
// The block formats of GGUF files: a row of a matrix is a row of blocks, each with its own scale.
//
// Source: glm-architecture.md, section 3.7 (ggml's block layouts); little-endian, d and m binary16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/weight_view.h"

namespace glint::tensor {

struct BlockShape {
  std::int64_t elements = 0;  // 32 or 256
  std::int64_t bytes = 0;
};

// nullopt for the formats that are not made of blocks.
std::optional<BlockShape> BlockOf(WeightFormat format);

// The value of element `index` of a block, exact in double. `block` needs no alignment.
double BlockElement(WeightFormat format, const std::byte* block, std::int64_t index);

// All elements of a block, each rounded once to float.
void DecodeBlock(WeightFormat format, const std::byte* block, float* out);

// The six-bit scale and minimum of sub-block `index`, 0 to 7, of a Q4_K or Q5_K block; `packed` are
// the 12 bytes behind d and dmin.
struct ScaleMin {
  std::uint8_t scale = 0;
  std::uint8_t min = 0;
};
ScaleMin UnpackScaleMin(const std::byte* packed, std::int64_t index);

// Element `index` of a block as the integer that its scale multiplies: before any offset, so never
// negative but for kQ8_0. Not for kMxfp4Block, whose codes are floats.
int BlockCode(WeightFormat format, const std::byte* block, std::int64_t index);

// False when a block in the rows [begin, end) has a scale or a minimum that is not finite. True for
// the formats that are not made of blocks. Reads the scales only.
bool BlockScalesAreFinite(const WeightView& weight, std::int64_t begin, std::int64_t end);

}  // namespace glint::tensor
