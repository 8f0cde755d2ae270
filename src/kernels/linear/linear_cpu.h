// SPDX-License-Identifier: Apache-2.0
// linear on the CPU, on all threads of the pool: F32 rows with plain weights, and I8 rows in groups
// of 32 (with their sums) with interleaved weights, by integer products.
//
// An output element's sum has one order, of its columns and the weight's dtype, so its bits are the
// same for any number of rows and threads (but not for two instruction sets). Weights are read
// once for up to 8 rows.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/linear/linear.h"

namespace glint::kernels {

// Why LinearCpu leaves these arguments to the reference, which is slow: "linear: no CPU kernel for
// int8 channel weights, reference". Empty: it does not. Depends on formats and dtypes only; whoever
// builds a model reports it once (base/fallback.h).
std::string CpuFallbackReason(const LinearArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckLinearArgs accepts them.
void LinearCpu(Isa isa, device::Stream& stream, const LinearArgs& args);

}  // namespace glint::kernels
