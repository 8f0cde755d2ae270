// SPDX-License-Identifier: Apache-2.0
// silu_mul on the CPU: F32 rows, spread over the pool.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/silu_mul/silu_mul.h"

namespace glint::kernels {

// Why SiluMulCpu leaves these arguments to the reference; empty: it does not. See linear_cpu.h.
std::string CpuFallbackReason(const SiluMulArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckSiluMulArgs accepts them. The bits do
// not depend on the number of rows or threads.
void SiluMulCpu(Isa isa, device::Stream& stream, const SiluMulArgs& args);

}  // namespace glint::kernels
