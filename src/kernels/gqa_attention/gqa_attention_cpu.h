// SPDX-License-Identifier: Apache-2.0
// gqa_attention on the CPU: a piece of work is one row, one key head and up to 16 of its query
// heads, which read each key and value once.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/gqa_attention/gqa_attention.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows, both
// caches of one type, head_dim at most 512.
std::string GqaAttentionCpuFallbackReason(const GqaAttentionArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void GqaAttentionCpu(Isa isa, device::Stream& stream, const GqaAttentionArgs& args);

}  // namespace glint::kernels
