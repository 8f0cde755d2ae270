// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/block_tile.h"

#include <algorithm>

#include "kernels/internal/cpu_dispatch.h"

namespace glint::kernels {

std::int64_t BlockTileOutputs(std::int64_t rows, std::int64_t row_bytes) {
  constexpr std::int64_t kPieceBytes = std::int64_t{32} * 1024;
  constexpr std::int64_t kManyRows = 8;
  constexpr std::int64_t kOutputsForManyRows = 32;
  const std::int64_t outputs = std::max<std::int64_t>(kPieceBytes / row_bytes, 1);
  return RoundUp(rows > kManyRows ? std::max(outputs, kOutputsForManyRows) : outputs,
                 kBlockTileGroup);
}

void SetInput(BlockTile& tile, const QuantizedActivation& x, std::int64_t column) {
  tile.x = static_cast<const std::int8_t*>(x.quantized) + column;
  tile.scales = x.scales + column / kBlockTileGroup;
  tile.sums = x.sums + column / kBlockTileGroup;
  tile.x_stride = x.columns;
}

BlockTile BlockTileOf(const tensor::WeightView& weight, std::int64_t first, std::int64_t count) {
  BlockTile tile;
  tile.format = weight.format;
  tile.group = weight.group;
  tile.weight = weight.data.data + first * tensor::DataPerRow(weight);
  if (weight.scales.data != nullptr) {
    tile.channel_dtype = weight.scales.dtype;
    tile.channel_scales = weight.scales.data + first * tensor::DTypeBytes(weight.scales.dtype);
  }
  tile.columns = weight.columns;
  tile.outputs = std::min(count, weight.rows - first);
  return tile;
}

}  // namespace glint::kernels
