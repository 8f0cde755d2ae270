// SPDX-License-Identifier: Apache-2.0
// indexer_topk, slow and obvious: the oracle of the other implementations.
#pragma once

#include "kernels/indexer_topk/indexer_topk.h"

namespace glint::kernels {

void IndexerTopkReference(const IndexerTopkArgs& args);

}  // namespace glint::kernels
