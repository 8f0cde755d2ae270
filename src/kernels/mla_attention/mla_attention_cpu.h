// SPDX-License-Identifier: Apache-2.0
// mla_attention on the CPU: a piece of work is one row and up to 8 of its heads, which read each
// cached latent once.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/mla_attention/mla_attention.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows,
// kv_lora + rope_width at most 1024.
std::string MlaAttentionCpuFallbackReason(const MlaAttentionArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void MlaAttentionCpu(Isa isa, device::Stream& stream, const MlaAttentionArgs& args);

}  // namespace glint::kernels
