// SPDX-License-Identifier: Apache-2.0
// Reads every byte of a checkpoint once: what a truncated copy, a bad disk or a bad conversion
// leaves behind is found before the model is served, not as a stream of "!!!!".
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "model/checkpoint_weights.h"
#include "tensor/checkpoint.h"

namespace glint::eval {

using VerifyProgress = std::function<void(std::int64_t bytes_done)>;

// Every scale must be finite and above 0, every number of the floating types finite. kDataLoss
// names file, tensor and element of the first that is not. `progress` is called after each tensor.
Status VerifyTensors(const tensor::Checkpoint& checkpoint, const model::CheckpointWeights& weights,
                     const VerifyProgress& progress);

}  // namespace glint::eval
