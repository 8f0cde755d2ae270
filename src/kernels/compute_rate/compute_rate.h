// SPDX-License-Identifier: Apache-2.0
// How fast this machine multiplies and adds: the limit of prefill, to be measured in the same run
// as what is compared with it.
#pragma once

#include <cstdint>

#include "device/cpu/worker_pool.h"
#include "kernels/isa.h"

namespace glint::kernels {

enum class Arithmetic : std::uint8_t {
  kF32,  // multiply-adds of floats; on tiles as three products of BF16, as attention does them
  // Products of bytes, summed as fast as four-bit weights allow: in 16 bits, by VNNI, or on tiles.
  kInt8,
};

// Operations per second (a multiply-add is two) of independent chains in registers, on all threads
// of `pool`, over about 10 ms. This machine must be able to run `isa`.
double MeasureComputeRate(Isa isa, device::WorkerPool& pool, Arithmetic arithmetic);

}  // namespace glint::kernels
