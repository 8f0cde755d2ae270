// SPDX-License-Identifier: Apache-2.0
// For tests: a matrix of random bytes in any format, every code and every scale that the bits can
// say, but for numbers that are not finite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tensor/block_format.h"
#include "tensor/weight_view.h"

namespace glint::tensor {

struct TestMatrix {
  std::vector<std::byte> data;
  std::vector<std::byte> scales;
  WeightView view;
};

// The top exponent bit of a binary16, BF16 or F32 number whose last byte is at `last`: clear, the
// number is finite.
inline void MakeFinite(std::byte* last) { *last &= std::byte{0xBF}; }

inline std::vector<std::byte> RandomBytes(std::int64_t count, std::mt19937& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = std::byte(random() & 0xFF);
  return bytes;
}

inline void MakeBlocksFinite(WeightFormat format, std::vector<std::byte>& data) {
  const auto bytes = static_cast<std::size_t>(BlockOf(format)->bytes);
  for (std::byte* at = data.data(); at < data.data() + data.size(); at += bytes) {
    if (format == WeightFormat::kMxfp4Block) {
      at[0] &= std::byte{0x7F};
    } else if (format == WeightFormat::kQ6K) {
      MakeFinite(at + 209);
    } else {
      MakeFinite(at + 1);
      MakeFinite(at + 3);
    }
  }
}

// A tensor of random finite numbers of `dtype`.
inline TensorView RandomTensor(DType dtype, Shape shape, std::mt19937& random,
                               std::vector<std::byte>& bytes) {
  const std::int64_t size = DTypeBytes(dtype);
  bytes = RandomBytes(shape.ElementCount() * size, random);
  for (std::size_t i = 0; i < bytes.size(); i += static_cast<std::size_t>(size)) {
    std::byte* last = bytes.data() + i + size - 1;
    if (IsFloat(dtype) || dtype == DType::kF8E8M0) MakeFinite(last);
  }
  return {dtype, shape, bytes.data()};
}

// `stored` counts for kPlain, `scale` for the formats with scales apart, `group` for kInt4Group.
inline TestMatrix MakeTestMatrix(WeightFormat format, std::int64_t rows, std::int64_t columns,
                                 DType stored = DType::kBF16, DType scale = DType::kF32,
                                 std::int64_t group = 64) {
  std::mt19937 random(static_cast<unsigned>(format) + 7);
  TestMatrix made;
  made.view = {format, rows, columns, {}, {}, format == WeightFormat::kInt4Group ? group : 0};
  const DType dtype = format == WeightFormat::kPlain         ? stored
                      : format == WeightFormat::kInt8Channel ? DType::kI8
                      : format == WeightFormat::kFp8Block || format == WeightFormat::kFp8Channel
                          ? DType::kF8E4M3
                          : DType::kU8;
  made.view.data = RandomTensor(dtype, {rows, DataPerRow(made.view)}, random, made.data);
  if (BlockOf(format)) MakeBlocksFinite(format, made.data);
  const auto scales = [&](DType type, Shape shape) {
    made.view.scales = RandomTensor(type, shape, random, made.scales);
  };
  if (format == WeightFormat::kFp8Block) scales(scale, {(rows + 127) / 128, (columns + 127) / 128});
  if (format == WeightFormat::kFp8Channel || format == WeightFormat::kInt8Channel) {
    scales(scale, {rows, 1});
  }
  if (format == WeightFormat::kInt4Group) scales(scale, {rows, columns / group});
  if (format == WeightFormat::kMxfp4) scales(DType::kF8E8M0, {rows, columns / 32});
  return made;
}

}  // namespace glint::tensor
