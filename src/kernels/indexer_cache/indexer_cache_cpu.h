// SPDX-License-Identifier: Apache-2.0
// indexer_cache on the CPU: a piece of work is a few rows.
#pragma once

#include <string>

#include "device/device.h"
#include "kernels/indexer_cache/indexer_cache.h"
#include "kernels/isa.h"

namespace glint::kernels {

// Why these arguments run on the reference instead; empty when they do not. Native: F32 rows, norms
// F32 or BF16.
std::string IndexerCacheCpuFallbackReason(const IndexerCacheArgs& args);

// Enqueues on a stream of the CPU device. `isa` must run on this machine.
void IndexerCacheCpu(Isa isa, device::Stream& stream, const IndexerCacheArgs& args);

}  // namespace glint::kernels
