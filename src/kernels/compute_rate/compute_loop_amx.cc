// SPDX-License-Identifier: Apache-2.0
#include "kernels/compute_rate/compute_loop.h"
#include "kernels/isa_amx.h"

namespace glint::kernels::GLINT_ISA {
namespace {

constexpr int64_t kSums = 4;
constexpr int64_t kRowBytes = 64;
constexpr int64_t kOutputs = kRowBytes / 4;
enum : int { kX = 4, kCodes = 5 };

void ConfigureFullTiles() {
  TileShapes shapes;
  for (int tile = 0; tile <= kCodes; ++tile) SetShape(shapes, tile, kTileRows, kRowBytes);
  ConfigureTiles(shapes);
}

}  // namespace

// Floats are multiplied as three numbers of BF16 each.
void RunF32Loop(const ComputeLoop* args) {
  ConfigureFullTiles();
  for (int64_t round = 0; round < args->rounds; ++round) {
    for (int part = 0; part < 3; ++part) {
      AddTileProductsBf16<0, kX, kCodes>();
      AddTileProductsBf16<1, kX, kCodes>();
      AddTileProductsBf16<2, kX, kCodes>();
      AddTileProductsBf16<3, kX, kCodes>();
    }
  }
  ReleaseTiles();
  *args->operations = kSums * kTileRows * kOutputs * (kRowBytes / 2) * 2;
}

void RunInt8Loop(const ComputeLoop* args) {
  ConfigureFullTiles();
  for (int64_t round = 0; round < args->rounds; ++round) {
    AddTileProducts<0, kX, kCodes, true>();
    AddTileProducts<1, kX, kCodes, true>();
    AddTileProducts<2, kX, kCodes, true>();
    AddTileProducts<3, kX, kCodes, true>();
  }
  ReleaseTiles();
  *args->operations = kSums * kTileRows * kOutputs * kRowBytes * 2;
}

}  // namespace glint::kernels::GLINT_ISA
