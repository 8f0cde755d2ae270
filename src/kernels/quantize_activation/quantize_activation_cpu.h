// SPDX-License-Identifier: Apache-2.0
// quantize_activation on the CPU: F32 rows to I8 in groups of a multiple of eight, spread over the
// pool.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/quantize_activation/quantize_activation.h"

namespace glint::kernels {

// Why QuantizeActivationCpu leaves these arguments to the reference; empty: it does not. See
// linear_cpu.h.
std::string CpuFallbackReason(const QuantizeActivationArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckQuantizeActivationArgs accepts them.
// The bits are the reference's.
void QuantizeActivationCpu(Isa isa, device::Stream& stream, const QuantizeActivationArgs& args);

}  // namespace glint::kernels
