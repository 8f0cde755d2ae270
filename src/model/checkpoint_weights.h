// SPDX-License-Identifier: Apache-2.0
// Every weight that a model needs, found in a checkpoint: which stored tensors it is made of, in
// which format. And the account of the rest: each tensor of the checkpoint is used, or named as
// unused; what is missing is an error.
//
// Nothing is read but headers; views point into the mapped files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "spec/model_spec.h"
#include "spec/parameters.h"
#include "tensor/checkpoint.h"
#include "tensor/stored_weight.h"

namespace glint::model {

// The kv_b matrix of latent attention as newer GGUF files store it: in two halves, each for all
// heads, the keys' transposed.
struct SplitKvB {
  tensor::WeightView k;  // [heads * kv_lora, nope]
  tensor::WeightView v;  // [heads * v_dim, kv_lora]
};

// Element (row, column) of the one matrix [heads * (nope + v_dim), kv_lora] that the halves mean.
double SplitKvBElement(const SplitKvB& split, std::int64_t row, std::int64_t column);

struct LocatedWeight {
  std::int64_t group = 0;  // index into CheckpointWeights::groups
  std::int64_t copy = 0;   // the expert, 0 where there is one copy
  tensor::StoredWeight stored;
  // Then stored.view has rows and columns of the whole, and no data.
  std::optional<SplitKvB> split_kv_b;

  // What lies in the file: one view, or two.
  [[nodiscard]] std::vector<tensor::WeightView> StoredViews() const;
};

struct CheckpointWeights {
  // As given, but without MTP layers when the checkpoint has none of their tensors.
  spec::ModelSpec model;
  std::vector<spec::TensorGroup> groups;  // spec::ListTensors(model)
  std::vector<LocatedWeight> located;     // in the order of groups; optional ones may be absent
  std::vector<std::string> unused;        // stored tensors that nothing needs, in file order
  std::vector<std::string> warnings;      // sentences for the operator
};

// Views are valid as long as `checkpoint`. Accepts routed experts one by one and fused
// (mlp.experts.gate_up_proj [E, 2I, H] and down_proj [E, H, I]), and the stale name indexers_proj.
// Of a GGUF file, the names and slices of model/gguf_weights.h.
// Fails with kNotFound naming the first missing tensor, and with what FindStoredWeight fails with.
Result<CheckpointWeights> LocateWeights(const spec::ModelSpec& model,
                                        const tensor::Checkpoint& checkpoint);

}  // namespace glint::model
