// SPDX-License-Identifier: Apache-2.0
// For tests of CPU implementations: a run on so many threads, and the batches whose rows must
// have the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "kernels/internal/isa_fixture.h"
#include "kernels/internal/test_batch.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Half a unit in the last place of 1 in F32: the relative error of one operation.
inline constexpr double kF32Error = 0x1p-24;

template <typename Args>
void RunIsa(void (*operation)(Isa, device::Stream&, const Args&), Isa isa, int threads,
            const Args& args) {
  const auto cpu = device::MakeCpuDevice(threads);
  const auto stream = cpu->CreateStream();
  operation(isa, *stream, args);
}

// A row of a batch: sequence (-1: padding) and position.
using BatchRow = std::pair<std::int32_t, std::int32_t>;

// Positions 0 ... tokens - 1 of sequence 0, cut into calls of `chunk` rows.
inline std::vector<std::vector<BatchRow>> Chunks(std::int32_t tokens, std::int32_t chunk) {
  std::vector<std::vector<BatchRow>> calls;
  for (std::int32_t t = 0; t < tokens; ++t) {
    if (t % chunk == 0) calls.emplace_back();
    calls.back().emplace_back(0, t);
  }
  return calls;
}

// The same in one call, with padding and rows of sequence 1 between.
inline std::vector<std::vector<BatchRow>> Crowd(std::int32_t tokens) {
  std::vector<BatchRow> rows;
  for (std::int32_t t = 0; t < tokens; ++t) {
    if (t % 2 == 0) rows.emplace_back(1, tokens - 1 - t);
    if (t % 5 == 0) rows.emplace_back(-1, 0);
    rows.emplace_back(0, t);
  }
  return {rows};
}

// The bytes of one row's columns.
inline std::vector<std::byte> RowBytes(const Activation& rows, std::int64_t row) {
  const std::int64_t bytes = tensor::DTypeBytes(rows.dtype);
  const auto* from = static_cast<const std::byte*>(rows.data) + row * rows.stride * bytes;
  return {from, from + rows.columns * bytes};
}

// Copies the columns of a row; both of one type.
inline void CopyRow(const Activation& from, std::int64_t from_row, const Activation& to,
                    std::int64_t to_row) {
  const std::vector<std::byte> bytes = RowBytes(from, from_row);
  const std::int64_t at = to_row * to.stride * tensor::DTypeBytes(to.dtype);
  std::memcpy(static_cast<std::byte*>(to.data) + at, bytes.data(), bytes.size());
}

}  // namespace glint::kernels
