// SPDX-License-Identifier: Apache-2.0
// A model with fewer layers: what `--layers dense:3,moe:4` means. For measuring real layer shapes
// where the whole model does not fit.
#pragma once

#include <string_view>

#include "base/result.h"
#include "spec/model_spec.h"

namespace glint::spec {

// The model with so many dense and then so many MoE layers, and no MTP layer. Layer i keeps the
// indexer role of the model's layer i. `text` is a list of dense:N and moe:N, each at most once;
// what is absent is 0. Fails with kInvalidArgument for other text, for no layer at all, for more
// layers than the model has in all, and for a kind that it does not have.
Result<ModelSpec> SliceLayers(const ModelSpec& model, std::string_view text);

}  // namespace glint::spec
