// SPDX-License-Identifier: Apache-2.0
// The tensors of a GGUF file that a model's weights are made of: names, and slices where a file
// joins what the model has apart (attn_qkv, the experts of a layer). Views point into the file.
//
// Source: glm-architecture.md section 3.6.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "model/checkpoint_weights.h"
#include "spec/model_spec.h"
#include "spec/parameters.h"
#include "tensor/checkpoint.h"

namespace glint::model {

// Copy `copy` of `group`. kNotFound names the tensor that is missing, kDataLoss one of another
// shape than the model's, kInvalidArgument a vector in blocks.
Result<LocatedWeight> LocateGgufWeight(const spec::ModelSpec& model,
                                       const tensor::Checkpoint& checkpoint,
                                       const spec::TensorGroup& group, std::int64_t copy);

// Some tensors change what the others mean, so leaving them out would be wrong: kInvalidArgument
// names the first bias or table of rope factors among `unused`.
Status CheckUnusedGguf(const tensor::Checkpoint& checkpoint, std::span<const std::string> unused);

}  // namespace glint::model
