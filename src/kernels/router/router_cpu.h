// SPDX-License-Identifier: Apache-2.0
// router on the CPU: rows spread over the pool, the ids those of every other device.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/router/router.h"

namespace glint::kernels {

// Why RouterCpu leaves these arguments to the reference (more than 1024 experts); empty: it does
// not. See linear_cpu.h.
std::string CpuFallbackReason(const RouterArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckRouterArgs accepts them. The bits do
// not depend on the number of rows or threads.
void RouterCpu(Isa isa, device::Stream& stream, const RouterArgs& args);

}  // namespace glint::kernels
