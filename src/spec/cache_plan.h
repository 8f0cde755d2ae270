// SPDX-License-Identifier: Apache-2.0
// Bytes that the caches take for each token of context: latents (or keys and values) of every
// layer, indexer keys of the full layers, MTP's layer included.
//
// Source: glm-architecture.md section 2.12.
#pragma once

#include <cstdint>
#include <optional>

#include "spec/model_spec.h"

namespace glint::spec {

// BF16: a latent is kv_lora_rank + rope_dim values; an indexer key is head_dim values; GQA keeps
// 2 x kv_heads x head_dim values.
std::int64_t CacheBytesPerToken(const ModelSpec& model);

// FP8 with scales: a latent is kv_lora_rank E4M3 bytes, an F32 scale per 128 of them and rope_dim
// BF16 values; an indexer key is head_dim E4M3 bytes and one F32 scale. nullopt where there is no
// such layout: GQA, or a kv_lora_rank that is no multiple of 128.
std::optional<std::int64_t> CacheBytesPerTokenFp8(const ModelSpec& model);

}  // namespace glint::spec
