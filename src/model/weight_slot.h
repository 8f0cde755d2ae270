// SPDX-License-Identifier: Apache-2.0
// The places of a layer that hold a weight, and their tensor names: where checkpoint names end
// and the forward pass begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "spec/parameters.h"

namespace glint::model {

enum class WeightSlot : std::uint8_t {
  // Outside the layers.
  kEmbedding,
  kFinalNorm,
  kLmHead,
  // Norms of a layer.
  kInputNorm,
  kPostAttentionNorm,      // before the MLP
  kPostSelfAttentionNorm,  // sandwich: of attention's output
  kPostMlpNorm,            // sandwich: of the MLP's output
  // Latent attention.
  kQA,
  kQANorm,
  kQB,
  kKvA,
  kKvANorm,
  kKvB,
  kKB,  // or its halves, of no tensor's name: keys transposed [heads * kv_lora, nope],
  kVB,  // values [heads * v, kv_lora]
  kO,   // both attentions
  // Grouped-query attention.
  kQ,
  kK,
  kV,
  kQBias,
  kKBias,
  kVBias,
  kQNorm,
  kKNorm,
  // Indexer.
  kIndexerQB,
  kIndexerK,
  kIndexerKNorm,
  kIndexerKNormBias,
  kIndexerWeights,
  // MLP: dense, or one routed expert.
  kGate,
  kUp,
  kGateUp,
  kDown,
  kSharedGate,
  kSharedUp,
  kSharedDown,
  kRouter,
  kRouterBias,
  // MTP layer.
  kMtpEmbeddingNorm,
  kMtpHiddenNorm,
  kMtpProjection,
  kMtpHeadNorm,
  kMtpEmbedding,
  kMtpHead,
};

// The slot of a tensor name as spec::ListTensors writes it (experts with a * for their number);
// nullopt for a name that no slot has.
std::optional<WeightSlot> SlotOf(std::string_view tensor_name);

}  // namespace glint::model
