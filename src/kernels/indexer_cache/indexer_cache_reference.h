// SPDX-License-Identifier: Apache-2.0
// indexer_cache, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/indexer_cache/indexer_cache.h"

namespace glint::kernels {

void IndexerCacheReference(const IndexerCacheArgs& args);

}  // namespace glint::kernels
