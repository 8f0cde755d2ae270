// SPDX-License-Identifier: Apache-2.0
// indexer_topk on the CPU: blocks of kIndexerTopkBlock positions are scored by all threads and
// taken into a running selection, for as many rows at once as the scratch holds.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/indexer_topk/indexer_topk.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows.
std::string IndexerTopkCpuFallbackReason(const IndexerTopkArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void IndexerTopkCpu(Isa isa, device::Stream& stream, const IndexerTopkArgs& args);

}  // namespace glint::kernels
