// SPDX-License-Identifier: Apache-2.0
#include "eval/read_bandwidth.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace glint::eval {
namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;

using Words = std::uint64_t __attribute__((vector_size(32)));

// Four independent sums, so that additions do not wait for each other.
std::uint64_t SumOf(const std::byte* data, std::int64_t bytes) {
  Words sums[4] = {};
  for (std::int64_t at = 0; at + 128 <= bytes; at += 128) {
    for (int i = 0; i < 4; ++i) {
      Words words;
      std::memcpy(&words, data + at + std::int64_t{32} * i, sizeof(words));
      sums[i] += words;
    }
  }
  const Words all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return all[0] + all[1] + all[2] + all[3];
}

}  // namespace

Result<ReadBandwidth> ReadBandwidth::Create(device::Device& device, std::int64_t bytes) {
  GLINT_CHECK(bytes > 0, "bytes to read");
  GLINT_ASSIGN(auto memory, device.Allocate(bytes));
  std::memset(memory->data(), 1,
              static_cast<std::size_t>(bytes));  // or all pages are one zero page
  return ReadBandwidth(std::move(memory));
}

double ReadBandwidth::Measure(device::WorkerPool& pool) {
  const std::int64_t bytes = memory_->bytes();
  const std::int64_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
  std::atomic<std::uint64_t> sum = 0;
  const auto start = std::chrono::steady_clock::now();
  pool.Run(pieces, [&](std::int64_t piece) {
    const std::int64_t begin = piece * kPieceBytes;
    sum += SumOf(memory_->data() + begin, std::min(kPieceBytes, bytes - begin));
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  sink_ += sum;
  return static_cast<double>(bytes) / seconds.count();
}

}  // namespace glint::eval
