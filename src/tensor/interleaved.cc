// SPDX-License-Identifier: Apache-2.0
#include "tensor/interleaved.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "tensor/block_format.h"
#include "tensor/internal/block_codes.h"

namespace glint::tensor {
namespace {

constexpr std::int64_t kLanes = kInterleavedRows;
constexpr std::int64_t kSubColumns = 32;  // columns whose codes lie together
constexpr std::int64_t kNibbleBytes = kSubColumns * kLanes / 2;
constexpr std::int64_t kBitBytes = kSubColumns * kLanes / 8;
constexpr std::int64_t kPairBytes = kSubColumns * kLanes / 4;
constexpr std::int64_t kHalfBytes = 2 * kLanes;  // a binary16 or BF16 number of each lane

using Codes = PartCodes;

enum class CodeKind : std::uint8_t { kNibbles, kBytes, kNibblesAndBits, kNibblesAndPairs };

// How the block of a format is divided: a head, then parts of 32 columns, each with its own head.
struct Division {
  CodeKind codes;
  std::int64_t head;       // bytes before the first part
  std::int64_t part_head;  // bytes of a part before its codes
  std::int64_t parts;
};

std::optional<Division> DivisionOf(WeightFormat format, std::int64_t group) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return Division{CodeKind::kNibbles, kHalfBytes, 0, 1};
    case WeightFormat::kQ4_1:
      return Division{CodeKind::kNibbles, 2 * kHalfBytes, 0, 1};
    case WeightFormat::kQ5_0:
      return Division{CodeKind::kNibblesAndBits, kHalfBytes, 0, 1};
    case WeightFormat::kQ5_1:
      return Division{CodeKind::kNibblesAndBits, 2 * kHalfBytes, 0, 1};
    case WeightFormat::kQ8_0:
      return Division{CodeKind::kBytes, kHalfBytes, 0, 1};
    case WeightFormat::kMxfp4:
    case WeightFormat::kMxfp4Block:
      return Division{CodeKind::kNibbles, kLanes, 0, 1};
    case WeightFormat::kQ4K:
      return Division{CodeKind::kNibbles, 2 * kHalfBytes, 2 * kLanes, 8};
    case WeightFormat::kQ5K:
      return Division{CodeKind::kNibblesAndBits, 2 * kHalfBytes, 2 * kLanes, 8};
    case WeightFormat::kQ6K:
      return Division{CodeKind::kNibblesAndPairs, kHalfBytes, 2 * kLanes, 8};
    case WeightFormat::kInt4Group:
      return Division{CodeKind::kNibbles, kHalfBytes, 0, group / kSubColumns};
    case WeightFormat::kInt8Channel:
      return Division{CodeKind::kBytes, 0, 0, 1};
    default:
      return std::nullopt;
  }
}

std::int64_t CodeBytes(CodeKind kind) {
  switch (kind) {
    case CodeKind::kNibbles:
      return kNibbleBytes;
    case CodeKind::kBytes:
      return 2 * kNibbleBytes;
    case CodeKind::kNibblesAndBits:
      return kNibbleBytes + kBitBytes;
    case CodeKind::kNibblesAndPairs:
      return kNibbleBytes + kPairBytes;
  }
  CheckFailed("a kind of codes", "CodeBytes");
}

std::int64_t PartBytes(const Division& division) {
  return division.part_head + CodeBytes(division.codes);
}

// Codes of one lane into the block's 32 columns, four bytes at a time.
void PutCodes(CodeKind kind, std::int64_t lane, const Codes& codes, std::byte* to) {
  const auto four = [&codes](std::int64_t v) {
    std::uint32_t word = 0;
    std::memcpy(&word, codes.data() + 4 * v, sizeof(word));
    return word;
  };
  const auto put = [lane](std::byte* at, std::uint32_t word) {
    std::memcpy(at + 4 * lane, &word, sizeof(word));
  };
  if (kind == CodeKind::kBytes) {
    for (std::int64_t v = 0; v < 8; ++v) put(to + 32 * v, four(v));
    return;
  }
  constexpr std::uint32_t kLow = 0x0F0F0F0FU;
  for (std::int64_t v = 0; v < 4; ++v) {
    put(to + 32 * v, (four(v) & kLow) | ((four(v + 4) & kLow) << 4));
  }
  if (kind == CodeKind::kNibbles) return;
  if (kind == CodeKind::kNibblesAndBits) {
    std::uint32_t bits = 0;
    for (std::int64_t v = 0; v < 8; ++v) bits |= ((four(v) >> 4) & 0x01010101U) << v;
    put(to + kNibbleBytes, bits);
    return;
  }
  for (std::int64_t half = 0; half < 2; ++half) {
    std::uint32_t pairs = 0;
    for (std::int64_t v = 0; v < 4; ++v) {
      pairs |= ((four(4 * half + v) >> 4) & 0x03030303U) << (2 * v);
    }
    put(to + kNibbleBytes + 32 * half, pairs);
  }
}

int GetCode(CodeKind kind, const std::byte* from, std::int64_t lane, std::int64_t column) {
  const std::int64_t v = column / 4;
  const std::int64_t at = 4 * lane + column % 4;
  if (kind == CodeKind::kBytes) return static_cast<int>(from[32 * v + at]);
  const int byte = static_cast<int>(from[32 * (v % 4) + at]);
  const int nibble = v < 4 ? byte & 15 : byte >> 4;
  if (kind == CodeKind::kNibbles) return nibble;
  if (kind == CodeKind::kNibblesAndBits) {
    return nibble | (((static_cast<int>(from[kNibbleBytes + at]) >> v) & 1) << 4);
  }
  const int pairs = static_cast<int>(from[kNibbleBytes + 32 * (v / 4) + at]);
  return nibble | (((pairs >> (2 * (v % 4))) & 3) << 4);
}

void CopyHalf(const std::byte* from, std::byte* to, std::int64_t lane) {
  std::memcpy(to + 2 * lane, from, 2);
}

// One row's block, of the matrix as it is stored, into its lane.
class LaneWriter {
 public:
  LaneWriter(const WeightView& from, const Division& division) : from_(from), division_(division) {}

  void Write(std::int64_t row, std::int64_t block, std::byte* to) const {
    const std::int64_t lane = row % kLanes;
    const std::byte* stored = Stored(row, block);
    WriteHead(row, block, stored, to, lane);
    for (std::int64_t part = 0; part < division_.parts; ++part) {
      std::byte* at = to + division_.head + part * PartBytes(division_);
      WritePartHead(stored, part, at, lane);
      PutCodes(division_.codes, lane, CodesOf(stored, part), at + division_.part_head);
    }
  }

 private:
  [[nodiscard]] const std::byte* Stored(std::int64_t row, std::int64_t block) const {
    const std::byte* start = from_.data.data + row * DataPerRow(from_);
    if (const auto shape = BlockOf(from_.format)) return start + block * shape->bytes;
    const std::int64_t columns = block * division_.parts * kSubColumns;
    return start + (from_.format == WeightFormat::kInt8Channel ? columns : columns / 2);
  }

  void WriteHead(std::int64_t row, std::int64_t block, const std::byte* stored, std::byte* to,
                 std::int64_t lane) const {
    switch (from_.format) {
      case WeightFormat::kQ4_0:
      case WeightFormat::kQ5_0:
      case WeightFormat::kQ8_0:
        return CopyHalf(stored, to, lane);
      case WeightFormat::kQ4_1:
      case WeightFormat::kQ5_1:
      case WeightFormat::kQ4K:
      case WeightFormat::kQ5K:
        CopyHalf(stored, to, lane);
        return CopyHalf(stored + 2, to + kHalfBytes, lane);
      case WeightFormat::kQ6K:
        return CopyHalf(stored + 208, to, lane);
      case WeightFormat::kMxfp4Block:
        to[lane] = stored[0];
        return;
      case WeightFormat::kMxfp4:
        to[lane] = from_.scales.data[row * (from_.columns / kSubColumns) + block];
        return;
      case WeightFormat::kInt4Group:
        return CopyHalf(from_.scales.data + 2 * (row * (from_.columns / from_.group) + block), to,
                        lane);
      default:
        return;
    }
  }

  void WritePartHead(const std::byte* stored, std::int64_t part, std::byte* to,
                     std::int64_t lane) const {
    if (from_.format == WeightFormat::kQ4K || from_.format == WeightFormat::kQ5K) {
      const ScaleMin packed = UnpackScaleMin(stored + 4, part);
      to[lane] = std::byte{packed.scale};
      to[kLanes + lane] = std::byte{packed.min};
    } else if (from_.format == WeightFormat::kQ6K) {
      to[lane] = stored[192 + 2 * part];
      to[kLanes + lane] = stored[192 + 2 * part + 1];
    }
  }

  [[nodiscard]] Codes CodesOf(const std::byte* stored, std::int64_t part) const {
    switch (from_.format) {
      case WeightFormat::kMxfp4:
      case WeightFormat::kInt4Group:
        return UnpackPacked(stored + part * kSubColumns / 2);
      case WeightFormat::kInt8Channel: {
        Codes codes;
        std::memcpy(codes.data(), stored, codes.size());
        return codes;
      }
      default:
        return UnpackPart(from_.format, stored, part);
    }
  }

  const WeightView& from_;
  const Division& division_;
};

double HalfAt(const std::byte* block, std::int64_t lane) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block + 2 * lane, sizeof(bits));
  return F16ToFloat(bits);
}

// What one element is made of: where its block and its part begin, and its code.
struct Place {
  const std::byte* block;
  const std::byte* part;
  std::int64_t lane;
  std::int64_t column;  // of the part's 32
  int code;
};

double ValueOf(const WeightView& weight, const Place& at, std::int64_t row) {
  switch (weight.format) {
    case WeightFormat::kQ4_0:
      return HalfAt(at.block, at.lane) * (at.code - 8);
    case WeightFormat::kQ5_0:
      return HalfAt(at.block, at.lane) * (at.code - 16);
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ5_1:
      return HalfAt(at.block, at.lane) * at.code + HalfAt(at.block + kHalfBytes, at.lane);
    case WeightFormat::kQ8_0:
      return HalfAt(at.block, at.lane) * static_cast<std::int8_t>(at.code);
    case WeightFormat::kMxfp4:
    case WeightFormat::kMxfp4Block:
      return double{E8M0ToFloat(static_cast<std::uint8_t>(at.block[at.lane]))} *
             E2M1ToFloat(static_cast<std::uint8_t>(at.code));
    case WeightFormat::kQ4K:
    case WeightFormat::kQ5K:
      return HalfAt(at.block, at.lane) * static_cast<int>(at.part[at.lane]) * at.code -
             HalfAt(at.block + kHalfBytes, at.lane) * static_cast<int>(at.part[kLanes + at.lane]);
    case WeightFormat::kQ6K: {
      const std::byte scale = at.part[at.column / 16 * kLanes + at.lane];
      return HalfAt(at.block, at.lane) * static_cast<std::int8_t>(scale) * (at.code - 32);
    }
    case WeightFormat::kInt4Group: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at.block + 2 * at.lane, sizeof(bits));
      return double{Bf16ToFloat(bits)} * (at.code - 8);
    }
    case WeightFormat::kInt8Channel:
      return static_cast<std::int8_t>(at.code) * weight.scales.At(row);
    default:
      CheckFailed("a format that is interleaved", "InterleavedElement");
  }
}

}  // namespace

std::optional<InterleavedBlock> InterleavedBlockOf(WeightFormat format, std::int64_t group) {
  const auto division = DivisionOf(format, group);
  if (!division || division->parts == 0) return std::nullopt;
  return InterleavedBlock{division->parts * kSubColumns,
                          division->head + division->parts * PartBytes(*division)};
}

bool CanInterleave(const WeightView& weight) {
  const auto block = InterleavedBlockOf(weight.format, weight.group);
  if (!block || weight.layout != WeightLayout::kRows) return false;
  if (weight.format == WeightFormat::kInt4Group && weight.scales.dtype != DType::kBF16)
    return false;
  return weight.rows % kInterleavedRows == 0 && weight.columns % block->columns == 0;
}

WeightView InterleavedView(const WeightView& from, const std::byte* data) {
  WeightView view = from;
  view.layout = WeightLayout::kInterleaved8;
  if (from.format != WeightFormat::kInt8Channel) view.scales = {};
  view.data = {DType::kU8, {from.rows, DataPerRow(view)}, data};
  return view;
}

void InterleaveRows(const WeightView& from, std::int64_t first, std::byte* to) {
  const auto division = DivisionOf(from.format, from.group);
  const auto block = InterleavedBlockOf(from.format, from.group);
  GLINT_CHECK(division && block && first % kLanes == 0, "rows that can be interleaved");
  const LaneWriter writer(from, *division);
  const std::int64_t blocks = from.columns / block->columns;
  std::byte* group = to + first / kLanes * blocks * block->bytes;
  for (std::int64_t row = first; row < first + kLanes; ++row) {
    for (std::int64_t i = 0; i < blocks; ++i) writer.Write(row, i, group + i * block->bytes);
  }
}

double InterleavedElement(const WeightView& weight, std::int64_t row, std::int64_t column) {
  const auto division = DivisionOf(weight.format, weight.group);
  const auto shape = InterleavedBlockOf(weight.format, weight.group);
  GLINT_CHECK(division && shape, "a format that is interleaved");
  const std::int64_t blocks = weight.columns / shape->columns;
  Place at{};
  at.lane = row % kLanes;
  at.block = weight.data.data + (row / kLanes * blocks + column / shape->columns) * shape->bytes;
  at.part =
      at.block + division->head + column % shape->columns / kSubColumns * PartBytes(*division);
  at.column = column % kSubColumns;
  at.code = GetCode(division->codes, at.part + division->part_head, at.lane, at.column);
  return ValueOf(weight, at, row);
}

}  // namespace glint::tensor
