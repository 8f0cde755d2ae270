// SPDX-License-Identifier: Apache-2.0
// How fast this machine reads memory on all kernel workers: the limit of decoding, to be measured
// in the same run as what is compared with it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "device/cpu/worker_pool.h"
#include "device/device.h"

namespace glint::eval {

class ReadBandwidth {
 public:
  // A buffer of `bytes` (> 0, far beyond the caches) of host memory. Fails as Allocate does.
  static Result<ReadBandwidth> Create(device::Device& device, std::int64_t bytes);

  // Reads the buffer once with all threads of `pool`; returns bytes per second.
  double Measure(device::WorkerPool& pool);

 private:
  explicit ReadBandwidth(std::unique_ptr<device::Memory> memory) : memory_(std::move(memory)) {}
  std::unique_ptr<device::Memory> memory_;
  std::uint64_t sink_ = 0;  // keeps the reads from being optimised away
};

}  // namespace glint::eval
