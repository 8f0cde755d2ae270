// SPDX-License-Identifier: Apache-2.0
// How fast this machine multiplies and adds: the limit of prefill, to be measured in the same run
// as what is compared with it.
#pragma once

#include <cstdint>

#include "device/cpu/worker_pool.h"
#include "kernels/isa.h"

namespace glint::kernels {

enum class Arithmetic : std::uint8_t {
  kF32,   // multiply-adds of floats
  kInt8,  // products of bytes, summed as fast as four-bit weights allow: in 16 bits, or by VNNI
};

// Operations per second (a multiply-add is two) of independent chains in registers, on all threads
// of `pool`, over about 10 ms. This machine must be able to run `isa`.
double MeasureComputeRate(Isa isa, device::WorkerPool& pool, Arithmetic arithmetic);

}  // namespace glint::kernels
