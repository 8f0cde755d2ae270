// SPDX-License-Identifier: Apache-2.0
#include "model/internal/gguf_weights.h"

#include <string_view>
#include <utility>

#include "base/format.h"
#include "tensor/block_format.h"

namespace glint::model {
namespace {

using spec::TensorGroup;
using tensor::Checkpoint;
using tensor::Shape;
using tensor::StoredTensor;
using tensor::WeightView;

struct Name {
  std::string_view model;  // as spec::ListTensors has it, after "model.layers.N."
  std::string_view gguf;   // after "blk.N."
};

constexpr Name kGlobalNames[] = {
    {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"},
    {"lm_head.weight", "output.weight"},
};

constexpr Name kLayerNames[] = {
    {"input_layernorm.weight", "attn_norm.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    {"post_self_attn_layernorm.weight", "post_attention_norm.weight"},
    {"post_mlp_layernorm.weight", "post_ffw_norm.weight"},
    {"self_attn.q_a_proj.weight", "attn_q_a.weight"},
    {"self_attn.q_a_layernorm.weight", "attn_q_a_norm.weight"},
    {"self_attn.q_b_proj.weight", "attn_q_b.weight"},
    {"self_attn.kv_a_proj_with_mqa.weight", "attn_kv_a_mqa.weight"},
    {"self_attn.kv_a_layernorm.weight", "attn_kv_a_norm.weight"},
    {"self_attn.kv_b_proj.weight", "attn_kv_b.weight"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
    {"self_attn.q_proj.bias", "attn_q.bias"},
    {"self_attn.k_proj.bias", "attn_k.bias"},
    {"self_attn.v_proj.bias", "attn_v.bias"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"self_attn.indexer.wq_b.weight", "indexer.attn_q_b.weight"},
    {"self_attn.indexer.wk.weight", "indexer.attn_k.weight"},
    {"self_attn.indexer.k_norm.weight", "indexer.k_norm.weight"},
    {"self_attn.indexer.k_norm.bias", "indexer.k_norm.bias"},
    {"self_attn.indexer.weights_proj.weight", "indexer.proj.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"mlp.gate_up_proj.weight", "ffn_up.weight"},  // gate rows first, as in the model
    {"mlp.down_proj.weight", "ffn_down.weight"},
    {"mlp.experts.*.gate_proj.weight", "ffn_gate_exps.weight"},
    {"mlp.experts.*.up_proj.weight", "ffn_up_exps.weight"},
    {"mlp.experts.*.down_proj.weight", "ffn_down_exps.weight"},
    {"mlp.shared_experts.gate_proj.weight", "ffn_gate_shexp.weight"},
    {"mlp.shared_experts.up_proj.weight", "ffn_up_shexp.weight"},
    {"mlp.shared_experts.down_proj.weight", "ffn_down_shexp.weight"},
    {"mlp.gate.weight", "ffn_gate_inp.weight"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"enorm.weight", "nextn.enorm.weight"},
    {"hnorm.weight", "nextn.hnorm.weight"},
    {"eh_proj.weight", "nextn.eh_proj.weight"},
    {"shared_head.norm.weight", "nextn.shared_head_norm.weight"},
    {"embed_tokens.weight", "nextn.embed_tokens.weight"},
    {"shared_head.head.weight", "nextn.shared_head_head.weight"},
};

// Rows [first, first + rows) of a tensor.
struct Rows {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // 1 for a vector
};

WeightView Slice(const StoredTensor& tensor, const Rows& part) {
  WeightView view;
  view.format = tensor.format;
  view.rows = part.rows;
  view.columns = part.columns;
  std::int64_t row_bytes = part.columns * tensor::DTypeBytes(tensor.dtype);
  if (tensor.format != tensor::WeightFormat::kPlain) {
    const tensor::BlockShape block = *tensor::BlockOf(tensor.format);
    row_bytes = part.columns / block.elements * block.bytes;
  }
  const bool blocks = tensor.format != tensor::WeightFormat::kPlain;
  view.data.dtype = tensor.dtype;
  view.data.shape = tensor.shape.rank() == 1 ? Shape{part.rows}
                                             : Shape{part.rows, blocks ? row_bytes : part.columns};
  view.data.data = tensor.bytes.data() + part.first * row_bytes;
  return view;
}

// The search for the weights of one group.
class Finder {
 public:
  Finder(const spec::ModelSpec& model, const Checkpoint& checkpoint, const TensorGroup& group)
      : model_(model), checkpoint_(checkpoint), group_(group) {}

  Result<LocatedWeight> Find(std::int64_t copy) const {
    const std::string name = GgufName();
    if (group_.copies > 1 || group_.role == spec::TensorRole::kExpert) {
      const std::int64_t first = copy * group_.rows;
      return Part(name, {group_.copies, group_.rows, group_.columns}, first);
    }
    if (name.ends_with("attn_kv_b.weight") && Tensor(name) == nullptr) return JoinKvB();
    const std::string fused = FusedName(name);
    if (Tensor(name) == nullptr && Tensor(fused) != nullptr) return FusedQkv(name, fused);
    if (group_.is_vector()) return Part(name, {group_.rows}, 0);
    return Part(name, {group_.rows, group_.columns}, 0);
  }

 private:
  [[nodiscard]] const StoredTensor* Tensor(std::string_view name) const {
    return checkpoint_.Find(name);
  }

  [[nodiscard]] std::string InLayer(std::string_view name) const {
    return format("blk.{}.{}", group_.layer, name);
  }

  // As the group's name if nothing else is known: then the message that it is missing says it.
  [[nodiscard]] std::string GgufName() const {
    if (group_.layer < 0) {
      for (const Name& row : kGlobalNames) {
        if (row.model == group_.name) return std::string(row.gguf);
      }
      return group_.name;
    }
    const std::string prefix = format("model.layers.{}.", group_.layer);
    const std::string_view suffix = std::string_view(group_.name).substr(prefix.size());
    // The norm before the MLP is called after what it follows in this one architecture.
    if (suffix == "post_attention_layernorm.weight" &&
        model_.architecture == spec::Architecture::kGlm4Moe) {
      return InLayer("post_attention_norm.weight");
    }
    for (const Name& row : kLayerNames) {
      if (row.model == suffix) return InLayer(row.gguf);
    }
    return group_.name;
  }

  [[nodiscard]] Result<const StoredTensor*> Expect(const std::string& name,
                                                   const Shape& shape) const {
    const StoredTensor* tensor = Tensor(name);
    if (tensor == nullptr) {
      return NotFound(format("{}: tensor {} is not in the file",
                             checkpoint_.shard_paths().front().native(), Quoted(name, 200)));
    }
    if (tensor->shape != shape) {
      return DataLoss(format("{}: has shape {}, expected {}", checkpoint_.Describe(*tensor),
                             tensor->shape.Write(), shape.Write()));
    }
    if (shape.rank() == 1 && tensor->format != tensor::WeightFormat::kPlain) {
      return InvalidArgument(format("{}: is a vector in {} blocks, must be F32, F16 or BF16",
                                    checkpoint_.Describe(*tensor),
                                    tensor::WeightFormatName(tensor->format)));
    }
    return tensor;
  }

  // The group's rows from `first_row` on of tensor `name`, whose shape must be `whole`.
  [[nodiscard]] Result<LocatedWeight> Part(const std::string& name, const Shape& whole,
                                           std::int64_t first_row) const {
    GLINT_ASSIGN(const StoredTensor* tensor, Expect(name, whole));
    LocatedWeight located;
    located.stored.tensors.push_back(name);
    located.stored.view =
        Slice(*tensor, {first_row, group_.rows, group_.is_vector() ? 1 : group_.columns});
    return located;
  }

  // attn_qkv.weight for attn_q.weight and so on; empty for other names.
  [[nodiscard]] std::string FusedName(const std::string& name) const {
    for (const char* part : {"attn_q.", "attn_k.", "attn_v."}) {
      const std::string prefix = InLayer(part);
      if (model_.gqa && name.starts_with(prefix)) {
        return InLayer("attn_qkv.") + name.substr(prefix.size());
      }
    }
    return {};
  }

  [[nodiscard]] Result<LocatedWeight> FusedQkv(const std::string& name,
                                               const std::string& fused) const {
    const std::int64_t q_rows = model_.heads * model_.gqa->head_dim;
    const std::int64_t kv_rows = model_.gqa->kv_heads * model_.gqa->head_dim;
    const bool k = name.starts_with(InLayer("attn_k."));
    const bool v = name.starts_with(InLayer("attn_v."));
    const std::int64_t first = v ? q_rows + kv_rows : k ? q_rows : 0;
    const std::int64_t all = q_rows + 2 * kv_rows;
    return Part(fused, group_.is_vector() ? Shape{all} : Shape{all, group_.columns}, first);
  }

  [[nodiscard]] Result<LocatedWeight> JoinKvB() const {
    const spec::MlaSpec& mla = *model_.mla;
    const std::string k_name = InLayer("attn_k_b.weight");
    const std::string v_name = InLayer("attn_v_b.weight");
    GLINT_ASSIGN(const StoredTensor* k,
                 Expect(k_name, {model_.heads, mla.kv_lora_rank, mla.nope_dim}));
    GLINT_ASSIGN(const StoredTensor* v,
                 Expect(v_name, {model_.heads, mla.v_dim, mla.kv_lora_rank}));
    LocatedWeight located;
    located.stored.tensors = {k_name, v_name};
    located.stored.view.rows = group_.rows;
    located.stored.view.columns = group_.columns;
    located.split_kv_b =
        SplitKvB{.k = Slice(*k, {0, model_.heads * mla.kv_lora_rank, mla.nope_dim}),
                 .v = Slice(*v, {0, model_.heads * mla.v_dim, mla.kv_lora_rank})};
    return located;
  }

  const spec::ModelSpec& model_;
  const Checkpoint& checkpoint_;
  const TensorGroup& group_;
};

// Duplicates of indexer tensors in layers that share are known, and harmless.
bool ChangesMeaning(std::string_view name) {
  const bool indexer = name.find(".indexer.") != std::string_view::npos;
  return (name.ends_with(".bias") && !indexer) || name.find("rope_f") != std::string_view::npos;
}

}  // namespace

Result<LocatedWeight> LocateGgufWeight(const spec::ModelSpec& model, const Checkpoint& checkpoint,
                                       const TensorGroup& group, std::int64_t copy) {
  return Finder(model, checkpoint, group).Find(copy);
}

Status CheckUnusedGguf(const Checkpoint& checkpoint, std::span<const std::string> unused) {
  for (const std::string& name : unused) {
    if (!ChangesMeaning(name)) continue;
    return InvalidArgument(format("{}: changes what the model computes, but is not supported",
                                  checkpoint.Describe(*checkpoint.Find(name))));
  }
  return Ok();
}

}  // namespace glint::model
