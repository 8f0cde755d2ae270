// SPDX-License-Identifier: Apache-2.0
#include "spec/cache_plan.h"

namespace glint::spec {
namespace {

constexpr std::int64_t kLatentScaleGroup = 128;

std::int64_t FullLayers(const ModelSpec& model) {
  std::int64_t full = 0;
  for (std::int64_t layer = 0; layer < model.AllLayers(); ++layer) {
    if (model.Layer(layer).indexer == IndexerRole::kFull) ++full;
  }
  return full;
}

}  // namespace

std::int64_t CacheBytesPerToken(const ModelSpec& model) {
  if (model.gqa) return model.AllLayers() * 2 * model.gqa->kv_heads * model.gqa->head_dim * 2;
  const std::int64_t latents =
      model.AllLayers() * (model.mla->kv_lora_rank + model.mla->rope_dim) * 2;
  const std::int64_t key_bytes = model.indexer ? model.indexer->head_dim * 2 : 0;
  return latents + FullLayers(model) * key_bytes;
}

std::optional<std::int64_t> CacheBytesPerTokenFp8(const ModelSpec& model) {
  if (!model.mla || model.mla->kv_lora_rank % kLatentScaleGroup != 0) return std::nullopt;
  const std::int64_t rank = model.mla->kv_lora_rank;
  const std::int64_t latent_bytes = rank + rank / kLatentScaleGroup * 4 + model.mla->rope_dim * 2;
  const std::int64_t key_bytes = model.indexer ? model.indexer->head_dim + 4 : 0;
  return model.AllLayers() * latent_bytes + FullLayers(model) * key_bytes;
}

}  // namespace glint::spec
