// SPDX-License-Identifier: Apache-2.0
// The codes of 32 columns at a time, a byte each: what decoding and laying out anew have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/weight_view.h"

namespace glint::tensor {

constexpr std::int64_t kPartColumns = 32;
using PartCodes = std::array<std::uint8_t, kPartColumns>;

// Columns [32 part, 32 part + 32) of a block: BlockCode's numbers for the formats that have them
// (of kQ8_0 the bits), else the codes of E2M1.
PartCodes UnpackPart(WeightFormat format, const std::byte* block, std::int64_t part);

// 32 nibbles of 16 bytes, two columns a byte, low nibble first.
PartCodes UnpackPacked(const std::byte* bytes);

}  // namespace glint::tensor
