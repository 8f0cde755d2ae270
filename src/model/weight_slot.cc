// SPDX-License-Identifier: Apache-2.0
#include "model/weight_slot.h"

namespace glint::model {
namespace {

struct SlotName {
  std::string_view name;  // after "model.layers.N."
  WeightSlot slot;
};

constexpr SlotName kGlobalNames[] = {
    {"model.embed_tokens.weight", WeightSlot::kEmbedding},
    {"model.norm.weight", WeightSlot::kFinalNorm},
    {"lm_head.weight", WeightSlot::kLmHead},
};

constexpr SlotName kLayerNames[] = {
    {"input_layernorm.weight", WeightSlot::kInputNorm},
    {"post_attention_layernorm.weight", WeightSlot::kPostAttentionNorm},
    {"post_self_attn_layernorm.weight", WeightSlot::kPostSelfAttentionNorm},
    {"post_mlp_layernorm.weight", WeightSlot::kPostMlpNorm},
    {"self_attn.q_a_proj.weight", WeightSlot::kQA},
    {"self_attn.q_a_layernorm.weight", WeightSlot::kQANorm},
    {"self_attn.q_b_proj.weight", WeightSlot::kQB},
    {"self_attn.kv_a_proj_with_mqa.weight", WeightSlot::kKvA},
    {"self_attn.kv_a_layernorm.weight", WeightSlot::kKvANorm},
    {"self_attn.kv_b_proj.weight", WeightSlot::kKvB},
    {"self_attn.o_proj.weight", WeightSlot::kO},
    {"self_attn.q_proj.weight", WeightSlot::kQ},
    {"self_attn.k_proj.weight", WeightSlot::kK},
    {"self_attn.v_proj.weight", WeightSlot::kV},
    {"self_attn.q_proj.bias", WeightSlot::kQBias},
    {"self_attn.k_proj.bias", WeightSlot::kKBias},
    {"self_attn.v_proj.bias", WeightSlot::kVBias},
    {"self_attn.q_norm.weight", WeightSlot::kQNorm},
    {"self_attn.k_norm.weight", WeightSlot::kKNorm},
    {"self_attn.indexer.wq_b.weight", WeightSlot::kIndexerQB},
    {"self_attn.indexer.wk.weight", WeightSlot::kIndexerK},
    {"self_attn.indexer.k_norm.weight", WeightSlot::kIndexerKNorm},
    {"self_attn.indexer.k_norm.bias", WeightSlot::kIndexerKNormBias},
    {"self_attn.indexer.weights_proj.weight", WeightSlot::kIndexerWeights},
    {"mlp.gate_proj.weight", WeightSlot::kGate},
    {"mlp.up_proj.weight", WeightSlot::kUp},
    {"mlp.gate_up_proj.weight", WeightSlot::kGateUp},
    {"mlp.down_proj.weight", WeightSlot::kDown},
    {"mlp.experts.*.gate_proj.weight", WeightSlot::kGate},
    {"mlp.experts.*.up_proj.weight", WeightSlot::kUp},
    {"mlp.experts.*.down_proj.weight", WeightSlot::kDown},
    {"mlp.shared_experts.gate_proj.weight", WeightSlot::kSharedGate},
    {"mlp.shared_experts.up_proj.weight", WeightSlot::kSharedUp},
    {"mlp.shared_experts.down_proj.weight", WeightSlot::kSharedDown},
    {"mlp.gate.weight", WeightSlot::kRouter},
    {"mlp.gate.e_score_correction_bias", WeightSlot::kRouterBias},
    {"enorm.weight", WeightSlot::kMtpEmbeddingNorm},
    {"hnorm.weight", WeightSlot::kMtpHiddenNorm},
    {"eh_proj.weight", WeightSlot::kMtpProjection},
    {"shared_head.norm.weight", WeightSlot::kMtpHeadNorm},
    {"embed_tokens.weight", WeightSlot::kMtpEmbedding},
    {"shared_head.head.weight", WeightSlot::kMtpHead},
};

constexpr std::string_view kLayerPrefix = "model.layers.";

}  // namespace

std::optional<WeightSlot> SlotOf(std::string_view tensor_name) {
  for (const SlotName& row : kGlobalNames) {
    if (tensor_name == row.name) return row.slot;
  }
  if (!tensor_name.starts_with(kLayerPrefix)) return std::nullopt;
  const std::size_t dot = tensor_name.find('.', kLayerPrefix.size());
  if (dot == std::string_view::npos) return std::nullopt;
  for (const SlotName& row : kLayerNames) {
    if (tensor_name.substr(dot + 1) == row.name) return row.slot;
  }
  return std::nullopt;
}

}  // namespace glint::model
