// SPDX-License-Identifier: Apache-2.0
// add_norm on the CPU: F32 rows, spread over the pool.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/add_norm/add_norm.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why AddNormCpu leaves these arguments to the reference; empty: it does not. See linear_cpu.h.
std::string CpuFallbackReason(const AddNormArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckAddNormArgs accepts them. The bits do
// not depend on the number of rows or threads. Reads the parts twice when the branch has a norm.
void AddNormCpu(Isa isa, device::Stream& stream, const AddNormArgs& args);

}  // namespace glint::kernels
