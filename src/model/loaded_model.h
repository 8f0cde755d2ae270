// SPDX-License-Identifier: Apache-2.0
// A model ready to run: its description, its weights and what keeps them alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "model/load_weights.h"
#include "spec/model_spec.h"
#include "tensor/checkpoint.h"
#include "tensor/model_files.h"

namespace glint::model {

// Movable; views in the store point into the checkpoint, which stays where it is.
struct LoadedModel {
  spec::ModelSpec spec;
  std::unique_ptr<tensor::Checkpoint> checkpoint;  // null for synthetic weights
  std::unique_ptr<ResidentStore> store;
  std::vector<std::string> warnings;
};

// The description of the model that `checkpoint`, opened from `files`, holds: of config.json, or of
// a GGUF file's metadata. Fails with what ParseConfig and ParseGgufConfig fail with.
Result<spec::ModelSpec> ReadSpec(const tensor::ModelFiles& files,
                                 const tensor::Checkpoint& checkpoint);

// A folder or a GGUF file. Fails with what ReadSpec, Checkpoint::Open, LocateWeights and
// LoadWeights fail with.
Result<LoadedModel> LoadFolder(const tensor::ModelFiles& files, device::Device& device,
                               const LoadOptions& options);

// Generated weights for any description.
Result<LoadedModel> LoadSynthetic(const spec::ModelSpec& spec, device::Device& device,
                                  std::uint64_t seed, const LoadOptions& options);

}  // namespace glint::model
