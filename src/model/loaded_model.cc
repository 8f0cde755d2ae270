// SPDX-License-Identifier: Apache-2.0
#include "model/loaded_model.h"

#include <utility>

#include "spec/config_parser.h"
#include "spec/gguf_config.h"

namespace glint::model {
namespace {

// Longer arrays of a GGUF file's metadata belong to the tokenizer.
constexpr std::int64_t kMostSpecItems = 4096;

spec::GgufTensorFacts FactsOf(const tensor::Checkpoint& checkpoint) {
  const auto has = [&checkpoint](const char* name) { return checkpoint.Find(name) != nullptr; };
  const tensor::StoredTensor* embedding = checkpoint.Find("token_embd.weight");
  return {.vocab_rows = embedding == nullptr ? 0 : embedding->shape.dim(0),
          .has_output = has("output.weight"),
          .has_qkv_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias"),
          .has_qk_norm = has("blk.0.attn_q_norm.weight")};
}

}  // namespace

Result<spec::ModelSpec> ReadSpec(const tensor::ModelFiles& files,
                                 const tensor::Checkpoint& checkpoint) {
  if (!checkpoint.is_gguf()) {
    return spec::ParseConfig(files.config_json, (files.path / "config.json").string());
  }
  const Json metadata = tensor::GgufMetadataJson(checkpoint.gguf_metadata(), kMostSpecItems);
  return spec::ParseGgufConfig(metadata, FactsOf(checkpoint), files.path.native());
}

Result<LoadedModel> LoadFolder(const tensor::ModelFiles& files, device::Device& device,
                               const LoadOptions& options) {
  LoadedModel loaded;
  GLINT_ASSIGN(tensor::Checkpoint checkpoint, tensor::Checkpoint::Open(files.path));
  loaded.checkpoint = std::make_unique<tensor::Checkpoint>(std::move(checkpoint));
  GLINT_ASSIGN(const spec::ModelSpec spec, ReadSpec(files, *loaded.checkpoint));
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
