// SPDX-License-Identifier: Apache-2.0
// embedding on the CPU: from a table of any format to F32 rows, spread over the pool.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/embedding/embedding.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why EmbeddingCpu leaves these arguments to the reference; empty: it does not. See linear_cpu.h.
std::string CpuFallbackReason(const EmbeddingArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckEmbeddingArgs accepts them. Exact.
void EmbeddingCpu(Isa isa, device::Stream& stream, const EmbeddingArgs& args);

}  // namespace glint::kernels
