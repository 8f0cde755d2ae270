// SPDX-License-Identifier: Apache-2.0
#include "model/loaded_model.h"

#include <utility>

#include "spec/config_parser.h"

namespace glint::model {

Result<LoadedModel> LoadFolder(const tensor::ModelFiles& files, device::Device& device,
                               const LoadOptions& options) {
  LoadedModel loaded;
  GLINT_ASSIGN(tensor::Checkpoint checkpoint, tensor::Checkpoint::Open(files.path));
  loaded.checkpoint = std::make_unique<tensor::Checkpoint>(std::move(checkpoint));
  GLINT_ASSIGN(const spec::ModelSpec spec,
               spec::ParseConfig(files.config_json, (files.path / "config.json").string()));
  GLINT_ASSIGN(CheckpointWeights weights, LocateWeights(spec, *loaded.checkpoint));
  GLINT_ASSIGN(loaded.store, LoadWeights(weights, *loaded.checkpoint, device, options));
  loaded.spec = std::move(weights.model);
  loaded.warnings = std::move(weights.warnings);
  return loaded;
}

Result<LoadedModel> LoadSynthetic(const spec::ModelSpec& spec, device::Device& device,
                                  std::uint64_t seed, const LoadOptions& options) {
  LoadedModel loaded;
  loaded.spec = spec;
  GLINT_ASSIGN(loaded.store, MakeSyntheticWeights(spec, device, seed, options));
  return loaded;
}

}  // namespace glint::model
