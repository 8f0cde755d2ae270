// SPDX-License-Identifier: Apache-2.0
// mla_cache on the CPU: a piece of work is a few rows.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/mla_cache/mla_cache.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows, norms
// F32 or BF16.
std::string MlaCacheCpuFallbackReason(const MlaCacheArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void MlaCacheCpu(Isa isa, device::Stream& stream, const MlaCacheArgs& args);

}  // namespace glint::kernels
