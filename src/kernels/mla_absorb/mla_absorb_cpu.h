// SPDX-License-Identifier: Apache-2.0
// mla_absorb_query and mla_expand_value on the CPU: a piece of work is one head and a tile of rows,
// which read the head's weights once.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/mla_absorb/mla_absorb.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows, kv_b
// plain F32 or BF16.
std::string MlaAbsorbQueryCpuFallbackReason(const MlaAbsorbQueryArgs& args);
std::string MlaExpandValueCpuFallbackReason(const MlaExpandValueArgs& args);

// Enqueue on a stream of the CPU device. `isa` must run on this machine.
void MlaAbsorbQueryCpu(Isa isa, device::Stream& stream, const MlaAbsorbQueryArgs& args);
void MlaExpandValueCpu(Isa isa, device::Stream& stream, const MlaExpandValueArgs& args);

}  // namespace glint::kernels
