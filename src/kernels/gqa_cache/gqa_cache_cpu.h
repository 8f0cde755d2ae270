// SPDX-License-Identifier: Apache-2.0
// gqa_cache on the CPU: a piece of work is a few rows.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/gqa_cache/gqa_cache.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows, norms
// F32 or BF16.
std::string GqaCacheCpuFallbackReason(const GqaCacheArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void GqaCacheCpu(Isa isa, device::Stream& stream, const GqaCacheArgs& args);

}  // namespace glint::kernels
