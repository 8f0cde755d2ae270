// SPDX-License-Identifier: Apache-2.0
#include "spec/parameters.h"

#include <algorithm>

#include "base/format.h"

namespace glint::spec {
namespace {

// Adds the tensors of one layer under its prefix.
class LayerLister {
 public:
  LayerLister(const ModelSpec& model, std::int64_t layer, std::vector<TensorGroup>& out)
      : model_(model),
        layer_(layer),
        mtp_(layer >= model.TrunkLayers()),
        prefix_(format("model.layers.{}.", layer)),
        out_(out) {}

  void List() {
    const LayerSpec& spec = model_.Layer(layer_);
    const std::int64_t hidden = model_.hidden_size;
    if (mtp_) ListMtpEntry();
    Vector("input_layernorm.weight", hidden);
    if (model_.mla) ListMla(*model_.mla);
    if (model_.gqa) ListGqa(*model_.gqa);
    if (spec.indexer == IndexerRole::kFull) ListIndexer();
    if (model_.sandwich_norms) Vector("post_self_attn_layernorm.weight", hidden);
    Vector("post_attention_layernorm.weight", hidden);
    if (spec.mlp == MlpKind::kMoe) {
      ListMoe(*model_.moe);
    } else {
      ListMlp("mlp.", model_.dense_width, TensorRole::kDenseMlp);
    }
    if (model_.sandwich_norms) Vector("post_mlp_layernorm.weight", hidden);
    if (mtp_) ListMtpExit();
  }

 private:
  void Vector(const char* name, std::int64_t rows, TensorRole role = TensorRole::kNorm) {
    Add({.name = name, .rows = rows, .role = role});
  }
  void Matrix(const char* name, std::int64_t rows, std::int64_t columns, TensorRole role) {
    Add({.name = name, .rows = rows, .columns = columns, .role = role});
  }
  void Add(TensorGroup group) {
    group.name = prefix_ + group.name;
    group.layer = layer_;
    group.mtp = mtp_;
    out_.push_back(std::move(group));
  }

  void ListMla(const MlaSpec& mla) {
    const std::int64_t heads = model_.heads;
    const std::int64_t hidden = model_.hidden_size;
    Matrix("self_attn.q_a_proj.weight", mla.q_lora_rank, hidden, TensorRole::kAttention);
    Vector("self_attn.q_a_layernorm.weight", mla.q_lora_rank);
    Matrix("self_attn.q_b_proj.weight", heads * (mla.nope_dim + mla.rope_dim), mla.q_lora_rank,
           TensorRole::kAttention);
    Matrix("self_attn.kv_a_proj_with_mqa.weight", mla.kv_lora_rank + mla.rope_dim, hidden,
           TensorRole::kAttention);
    Vector("self_attn.kv_a_layernorm.weight", mla.kv_lora_rank);
    Matrix("self_attn.kv_b_proj.weight", heads * (mla.nope_dim + mla.v_dim), mla.kv_lora_rank,
           TensorRole::kAttention);
    Matrix("self_attn.o_proj.weight", hidden, heads * mla.v_dim, TensorRole::kAttention);
  }

  void ListGqa(const GqaSpec& gqa) {
    const std::int64_t hidden = model_.hidden_size;
    const std::int64_t q_rows = model_.heads * gqa.head_dim;
    const std::int64_t kv_rows = gqa.kv_heads * gqa.head_dim;
    Matrix("self_attn.q_proj.weight", q_rows, hidden, TensorRole::kAttention);
    Matrix("self_attn.k_proj.weight", kv_rows, hidden, TensorRole::kAttention);
    Matrix("self_attn.v_proj.weight", kv_rows, hidden, TensorRole::kAttention);
    if (gqa.qkv_bias) {
      Vector("self_attn.q_proj.bias", q_rows, TensorRole::kBias);
      Vector("self_attn.k_proj.bias", kv_rows, TensorRole::kBias);
      Vector("self_attn.v_proj.bias", kv_rows, TensorRole::kBias);
    }
    if (gqa.qk_norm) {
      Vector("self_attn.q_norm.weight", gqa.head_dim);
      Vector("self_attn.k_norm.weight", gqa.head_dim);
    }
    Matrix("self_attn.o_proj.weight", hidden, q_rows, TensorRole::kAttention);
  }

  void ListIndexer() {
    const IndexerSpec& indexer = *model_.indexer;
    Matrix("self_attn.indexer.wq_b.weight", indexer.heads * indexer.head_dim,
           model_.mla->q_lora_rank, TensorRole::kIndexer);
    Matrix("self_attn.indexer.wk.weight", indexer.head_dim, model_.hidden_size,
           TensorRole::kIndexer);
    Vector("self_attn.indexer.k_norm.weight", indexer.head_dim);
    Vector("self_attn.indexer.k_norm.bias", indexer.head_dim);
    Matrix("self_attn.indexer.weights_proj.weight", indexer.heads, model_.hidden_size,
           TensorRole::kIndexerWeights);
  }

  void ListMlp(const std::string& place, std::int64_t width, TensorRole role,
               std::int64_t copies = 1) {
    const std::int64_t hidden = model_.hidden_size;
    const bool fused = model_.fused_gate_up;
    if (fused) {
      Add({place + "gate_up_proj.weight", 2 * width, hidden, copies, role});
    } else {
      Add({place + "gate_proj.weight", width, hidden, copies, role});
      Add({place + "up_proj.weight", width, hidden, copies, role});
    }
    Add({place + "down_proj.weight", hidden, width, copies, role});
  }

  void ListMoe(const MoeSpec& moe) {
    Matrix("mlp.gate.weight", moe.experts, model_.hidden_size, TensorRole::kRouter);
    Vector("mlp.gate.e_score_correction_bias", moe.experts, TensorRole::kRouterBias);
    ListMlp("mlp.experts.*.", moe.expert_width, TensorRole::kExpert, moe.experts);
    if (moe.shared_width > 0) {
      ListMlp("mlp.shared_experts.", moe.shared_width, TensorRole::kSharedExpert);
    }
  }

  void ListMtpEntry() {
    const std::int64_t hidden = model_.hidden_size;
    if (model_.mtp_own_embeddings) {
      Add({.name = "embed_tokens.weight",
           .rows = model_.vocab_size,
           .columns = hidden,
           .role = TensorRole::kEmbedding,
           .active = false,
           .optional = true});
    }
    Vector("enorm.weight", hidden);
    Vector("hnorm.weight", hidden);
    Matrix("eh_proj.weight", hidden, 2 * hidden, TensorRole::kMtpProjection);
  }

  void ListMtpExit() {
    Vector("shared_head.norm.weight", model_.hidden_size);
    if (model_.mtp_own_embeddings) {
      Add({.name = "shared_head.head.weight",
           .rows = model_.vocab_size,
           .columns = model_.hidden_size,
           .role = TensorRole::kLmHead,
           .optional = true});
    }
  }

  const ModelSpec& model_;
  std::int64_t layer_;
  bool mtp_;
  std::string prefix_;
  std::vector<TensorGroup>& out_;
};

}  // namespace

std::string TensorGroup::NameOf(std::int64_t index) const {
  const std::size_t star = name.find('*');
  if (star == std::string::npos) return name;
  return name.substr(0, star) + format("{}", index) + name.substr(star + 1);
}

std::vector<TensorGroup> ListTensors(const ModelSpec& model) {
  std::vector<TensorGroup> tensors;
  tensors.push_back({.name = "model.embed_tokens.weight",
                     .rows = model.vocab_size,
                     .columns = model.hidden_size,
                     .role = TensorRole::kEmbedding,
                     .active = model.tied_embeddings});
  for (std::int64_t layer = 0; layer < model.TrunkLayers(); ++layer) {
    LayerLister(model, layer, tensors).List();
  }
  tensors.push_back({.name = "model.norm.weight", .rows = model.hidden_size});
  if (!model.tied_embeddings) {
    tensors.push_back({.name = "lm_head.weight",
                       .rows = model.vocab_size,
                       .columns = model.hidden_size,
                       .role = TensorRole::kLmHead});
  }
  for (std::int64_t layer = model.TrunkLayers(); layer < model.AllLayers(); ++layer) {
    LayerLister(model, layer, tensors).List();
  }
  return tensors;
}

ParameterCounts CountParameters(const ModelSpec& model) {
  ParameterCounts counts;
  for (const TensorGroup& group : ListTensors(model)) {
    counts.total += group.Elements();
    counts.tensors += group.copies;
    if (group.mtp) continue;
    counts.trunk += group.Elements();
    if (!group.active) continue;
    const bool routed = group.role == TensorRole::kExpert;
    counts.active += routed ? group.ElementsEach() * model.moe->top_k : group.Elements();
  }
  return counts;
}

double EstimateParameters(const ModelSpec& model) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double hidden = real(model.hidden_size);
  double layer = 4 * hidden;
  if (model.mla) {
    const MlaSpec& mla = *model.mla;
    const double head = real(mla.nope_dim) + real(mla.rope_dim) + real(mla.v_dim);
    const double ranks = real(mla.q_lora_rank) + real(mla.kv_lora_rank) + real(mla.rope_dim);
    layer += ranks * hidden + real(model.heads) * head * (ranks + hidden);
  }
  if (model.gqa) {
    layer +=
        2 * hidden * real(model.gqa->head_dim) * (real(model.heads) + real(model.gqa->kv_heads));
  }
  if (model.indexer) {
    layer +=
        real(model.indexer->heads) * real(model.indexer->head_dim) * real(model.mla->q_lora_rank);
    layer += (real(model.indexer->head_dim) + real(model.indexer->heads)) * hidden;
  }
  const double dense = 3 * hidden * real(model.dense_width);
  const double moe = model.moe ? 3 * hidden *
                                     (real(model.moe->experts) * real(model.moe->expert_width) +
                                      real(model.moe->shared_width))
                               : 0;
  const double embeddings = 2 * real(model.vocab_size) * hidden;
  return real(model.AllLayers()) * (layer + std::max(dense, moe) + 2 * hidden * hidden) +
         embeddings * (1 + real(static_cast<std::int64_t>(model.mtp_layers.size())));
}

}  // namespace glint::spec
