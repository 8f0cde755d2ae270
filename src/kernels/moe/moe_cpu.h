// SPDX-License-Identifier: Apache-2.0
// moe on the CPU: F32 rows, experts with plain weights, F32 between the matrices.
//
// Slots are grouped by expert, so that an expert's weights are read once for all its rows (as far
// as `linear` does for so many); then each row sums its slots. Every element has one order of sums,
// so a row's bits do not depend on the other rows or on the threads.
#pragma once

#include <cstdint>
#include <string>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/moe/moe.h"

namespace glint::kernels {

// Bytes that MoeArgs.scratch must have for steps of up to `rows` rows: gate, up and down of each
// slot in F32, and the slots in order of their experts. Alignment: 4.
std::int64_t MoeCpuScratchBytes(std::int64_t rows, std::int64_t top_k, std::int64_t intermediate,
                                std::int64_t hidden);

// Why MoeCpu leaves these arguments to the reference; empty: it does not. See linear_cpu.h.
std::string CpuFallbackReason(const MoeArgs& args);

// Enqueues on a stream of the CPU device; arguments as CheckMoeArgs accepts them. Scratch that is
// smaller than MoeCpuScratchBytes is a bug, unless there is a fallback reason.
void MoeCpu(Isa isa, device::Stream& stream, const MoeArgs& args);

}  // namespace glint::kernels
