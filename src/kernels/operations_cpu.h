// SPDX-License-Identifier: Apache-2.0
// The operations of the CPU device, with the loops of one instruction set.
//
// Made for F32 activations and plain weights. An operation that is called with anything else runs
// its reference and reports that (device::ReportCpuFallback). quantize_activation, sample and
// verify_draft have no CPU form yet and are the reference's.
#pragma once

#include "kernels/isa.h"
#include "kernels/operations.h"

namespace glint::kernels {

// This machine must be able to run `isa` (IsaRuns). moe needs MoeCpuScratchBytes of scratch.
const OperationTable& CpuOperations(Isa isa);

}  // namespace glint::kernels
