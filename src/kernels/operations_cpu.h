// SPDX-License-Identifier: Apache-2.0
// The operations of the CPU device, with the loops of one instruction set.
//
// Made for F32 activations and plain weights. An operation that is called with anything else runs
// its reference: CpuFallbackReason(args), in each ..._cpu.h, says so before, for whoever builds a
// model to report. Operations that have no CPU form yet are the reference's.
#pragma once

#include "kernels/isa.h"
#include "kernels/operations.h"

namespace glint::kernels {

// This machine must be able to run `isa` (IsaRuns). moe needs MoeCpuScratchBytes of scratch.
const OperationTable& CpuOperations(Isa isa);

}  // namespace glint::kernels
