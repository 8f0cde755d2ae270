// SPDX-License-Identifier: Apache-2.0
// The parts of a layer as operations. Source: glm-architecture.md sections 2.4 to 2.9, 2.15, 2.16.
#include <cmath>

#include "base/check.h"
#include "model/forward.h"
#include "model/internal/forward_buffers.h"
#include "model/internal/step_tables.h"

namespace glint::model {
namespace {

// Shapes are ours, so arguments that do not fit are a bug.
template <typename Args>
void Call(kernels::Operation<Args> operation, Status (*check)(const Args&), device::Stream& stream,
          const Args& args) {
  const Status status = check(args);
  GLINT_CHECK(status.ok(), status.error().message);
  operation(stream, args);
}

// The kernels of interleaved weights take their input in eight bits.
bool ReadsIntegers(const tensor::WeightView& weight) {
  return weight.layout == tensor::WeightLayout::kInterleaved8;
}

}  // namespace

void Forward::Embed(const tensor::WeightView& table, const kernels::Activation& out) {
  Call(operations_.embedding, kernels::CheckEmbeddingArgs, *stream_,
       {.tables = tables(),
        .tokens = tables_->tokens(),
        .samples = tables_->samples().tokens,
        .sample_count = tables_->samples().count,
        .table = table,
        .out = Live(out)});
}

void Forward::Norm(const kernels::Activation& in, const tensor::WeightView& weight,
                   const Input& out) {
  Call(operations_.add_norm, kernels::CheckAddNormArgs, *stream_,
       {.residual = in,
        .weight = weight,
        .eps = static_cast<float>(model_.rms_epsilon),
        .normed = out.x,
        .quantized = out.codes});
}

Forward::Input Forward::WithCodes(const kernels::Activation& x,
                                  const kernels::QuantizedActivation& codes) const {
  Input input{Live(x)};
  if (!reads_integers_ || x.columns % codes.group != 0) return input;
  input.codes = codes;
  input.codes.rows = input.x.rows;
  input.codes.columns = x.columns;
  return input;
}

Forward::Input Forward::Normed() const {
  return WithCodes(buffers_->normed, buffers_->quantized_normed);
}

Forward::Input Forward::QResidual() const {
  return WithCodes(buffers_->q_residual, buffers_->quantized_q_residual);
}

void Forward::Linear(const Input& input, const tensor::WeightView& weight,
                     const tensor::WeightView* bias, const kernels::Activation& out) {
  kernels::LinearArgs args{
      .weight = weight, .bias = bias == nullptr ? tensor::WeightView{} : *bias, .out = out};
  if (ReadsIntegers(weight)) {
    args.quantized_x = Quantize(input);
  } else {
    args.x = input.x;
  }
  Call(operations_.linear, kernels::CheckLinearArgs, *stream_, args);
}

kernels::QuantizedActivation Forward::Quantize(const Input& input) {
  if (input.codes.quantized != nullptr) return input.codes;
  kernels::QuantizedActivation quantized = buffers_->quantized;
  quantized.rows = input.x.rows;
  quantized.columns = input.x.columns;
  Call(operations_.quantize_activation, kernels::CheckQuantizeActivationArgs, *stream_,
       {.x = input.x, .out = quantized});
  return quantized;
}

void Forward::Layer(std::int64_t layer, const tensor::WeightView& next_norm) {
  const Lease& weights = LayerWeights(layer);
  if (model_.mla) {
    LatentAttention(layer);
  } else {
    GroupedAttention(layer);
  }
  AddBranch(weights, WeightSlot::kPostSelfAttentionNorm,
            weights.Get(WeightSlot::kPostAttentionNorm));
  if (model_.Layer(layer).mlp == spec::MlpKind::kMoe) {
    Moe(layer);
  } else {
    Mlp(weights, WeightSlot::kGate, model_.dense_width, Live(buffers_->branch));
  }
  AddBranch(weights, WeightSlot::kPostMlpNorm, next_norm);
}

void Forward::AddBranch(const Lease& weights, WeightSlot sandwich_norm,
                        const tensor::WeightView& norm) {
  const Input normed = Normed();
  kernels::AddNormArgs args{.residual = Live(buffers_->residual),
                            .part_count = 1,
                            .part_stride = buffers_->branch.stride,
                            .weight = norm,
                            .eps = static_cast<float>(model_.rms_epsilon),
                            .normed = normed.x,
                            .quantized = normed.codes};
  args.parts[0] = buffers_->branch.data;
  if (model_.sandwich_norms) args.branch_norm_weight = weights.Get(sandwich_norm);
  Call(operations_.add_norm, kernels::CheckAddNormArgs, *stream_, args);
}

void Forward::LatentAttention(std::int64_t layer) {
  const spec::MlaSpec& mla = *model_.mla;
  const Lease& weights = LayerWeights(layer);
  const Input x = Normed();
  const kernels::Activation q = Live(buffers_->q);
  const std::int64_t head_width = mla.nope_dim + mla.rope_dim;
  Linear(x, weights.Get(WeightSlot::kQA), nullptr, Live(buffers_->q_a));
  Norm(Live(buffers_->q_a), weights.Get(WeightSlot::kQANorm), QResidual());
  Linear(QResidual(), weights.Get(WeightSlot::kQB), nullptr, q);
  Linear(x, weights.Get(WeightSlot::kKvA), nullptr, Live(buffers_->kv_a));
  const kernels::CacheView cache = cache_->Latents(cache_memory_->data(), layer);
  Call(operations_.mla_cache, kernels::CheckMlaCacheArgs, *stream_,
       {.tables = tables(),
        .rope = rope_,
        .heads = model_.heads,
        .nope = mla.nope_dim,
        .kv_lora = mla.kv_lora_rank,
        .q = q,
        .kv_a = Live(buffers_->kv_a),
        .norm_weight = weights.Get(WeightSlot::kKvANorm),
        .epsilon = static_cast<float>(model_.rms_epsilon),
        .cache = cache});
  const spec::LayerSpec& shape = model_.Layer(layer);
  if (shape.indexer == spec::IndexerRole::kFull) SelectPositions(layer);
  AbsorbQuery(weights, Columns(q, 0, (model_.heads - 1) * head_width + mla.nope_dim));
  const bool selects = shape.indexer != spec::IndexerRole::kNone;
  Call(operations_.mla_attention, kernels::CheckMlaAttentionArgs, *stream_,
       {.tables = tables(),
        .heads = model_.heads,
        .kv_lora = mla.kv_lora_rank,
        .rope_width = mla.rope_dim,
        .q_latent = Live(buffers_->q_latent),
        .q_rope = Columns(q, mla.nope_dim, (model_.heads - 1) * head_width + mla.rope_dim),
        .rope_head_stride = head_width,
        .cache = cache,
        .scale = kernels::MlaSoftmaxScale(mla.nope_dim, mla.rope_dim),
        .selection = selects ? buffers_->selection : kernels::SelectionView{},
        .output = Live(buffers_->attended)});
  ExpandValue(weights);
  Linear({Live(buffers_->values)}, weights.Get(WeightSlot::kO), nullptr, Live(buffers_->branch));
}

void Forward::AbsorbQuery(const Lease& weights, const kernels::Activation& q) {
  const spec::MlaSpec& mla = *model_.mla;
  kernels::MlaAbsorbQueryArgs args{.tables = tables(),
                                   .heads = model_.heads,
                                   .nope = mla.nope_dim,
                                   .value = mla.v_dim,
                                   .kv_lora = mla.kv_lora_rank,
                                   .query_head_stride = mla.nope_dim + mla.rope_dim,
                                   .q_latent = Live(buffers_->q_latent)};
  if (const tensor::WeightView* keys = weights.Find(WeightSlot::kKB)) {
    args.quantized_q = Quantize({q});
    args.k_b = *keys;
  } else {
    args.q = q;
    args.kv_b = weights.Get(WeightSlot::kKvB);
  }
  Call(operations_.mla_absorb_query, kernels::CheckMlaAbsorbQueryArgs, *stream_, args);
}

void Forward::ExpandValue(const Lease& weights) {
  const spec::MlaSpec& mla = *model_.mla;
  kernels::MlaExpandValueArgs args{.tables = tables(),
                                   .heads = model_.heads,
                                   .nope = mla.nope_dim,
                                   .value = mla.v_dim,
                                   .kv_lora = mla.kv_lora_rank,
                                   .output = Live(buffers_->values)};
  if (const tensor::WeightView* values = weights.Find(WeightSlot::kVB)) {
    args.quantized_latent = Quantize({Live(buffers_->attended)});
    args.v_b = *values;
  } else {
    args.latent = Live(buffers_->attended);
    args.kv_b = weights.Get(WeightSlot::kKvB);
  }
  Call(operations_.mla_expand_value, kernels::CheckMlaExpandValueArgs, *stream_, args);
}

// Fills the step's selection; the shared layers that follow read it.
void Forward::SelectPositions(std::int64_t layer) {
  const spec::IndexerSpec& indexer = *model_.indexer;
  const Lease& weights = LayerWeights(layer);
  const Input x = Normed();
  Linear(QResidual(), weights.Get(WeightSlot::kIndexerQB), nullptr, Live(buffers_->index_q));
  Linear(x, weights.Get(WeightSlot::kIndexerK), nullptr, Live(buffers_->index_k));
  Linear(x, weights.Get(WeightSlot::kIndexerWeights), nullptr, Live(buffers_->index_weights));
  const kernels::CacheView cache = cache_->IndexerKeys(cache_memory_->data(), layer);
  Call(operations_.indexer_cache, kernels::CheckIndexerCacheArgs, *stream_,
       {.tables = tables(),
        .rope = rope_,
        .heads = indexer.heads,
        .head_dim = indexer.head_dim,
        .q = Live(buffers_->index_q),
        .k = Live(buffers_->index_k),
        .norm_weight = weights.Get(WeightSlot::kIndexerKNorm),
        .norm_bias = weights.Get(WeightSlot::kIndexerKNormBias),
        .epsilon = static_cast<float>(indexer.layer_norm_epsilon),
        .cache = cache});
  Call(operations_.indexer_topk, kernels::CheckIndexerTopkArgs, *stream_,
       {.tables = tables(),
        .heads = indexer.heads,
        .head_dim = indexer.head_dim,
        .q = Live(buffers_->index_q),
        .head_weights = Live(buffers_->index_weights),
        .cache = cache,
        .selection = buffers_->selection,
        .scratch = buffers_->scratch,
        .scratch_bytes = buffers_->scratch_bytes});
}

void Forward::GroupedAttention(std::int64_t layer) {
  const spec::GqaSpec& gqa = *model_.gqa;
  const Lease& weights = LayerWeights(layer);
  const Input x = Normed();
  Linear(x, weights.Get(WeightSlot::kQ), weights.Find(WeightSlot::kQBias), Live(buffers_->q));
  Linear(x, weights.Get(WeightSlot::kK), weights.Find(WeightSlot::kKBias), Live(buffers_->k));
  Linear(x, weights.Get(WeightSlot::kV), weights.Find(WeightSlot::kVBias), Live(buffers_->v));
  kernels::GqaCacheArgs args{.tables = tables(),
                             .rope = rope_,
                             .heads = model_.heads,
                             .kv_heads = gqa.kv_heads,
                             .head_dim = gqa.head_dim,
                             .q = Live(buffers_->q),
                             .k = Live(buffers_->k),
                             .v = Live(buffers_->v),
                             .epsilon = static_cast<float>(model_.rms_epsilon),
                             .k_cache = cache_->Keys(cache_memory_->data(), layer),
                             .v_cache = cache_->Values(cache_memory_->data(), layer)};
  if (gqa.qk_norm) {
    args.q_norm = weights.Get(WeightSlot::kQNorm);
    args.k_norm = weights.Get(WeightSlot::kKNorm);
  }
  Call(operations_.gqa_cache, kernels::CheckGqaCacheArgs, *stream_, args);
  Call(operations_.gqa_attention, kernels::CheckGqaAttentionArgs, *stream_,
       {.tables = tables(),
        .heads = model_.heads,
        .kv_heads = gqa.kv_heads,
        .head_dim = gqa.head_dim,
        .q = Live(buffers_->q),
        .k_cache = args.k_cache,
        .v_cache = args.v_cache,
        .scale = 1.0F / std::sqrt(static_cast<float>(gqa.head_dim)),
        .output = Live(buffers_->values)});
  Linear({Live(buffers_->values)}, weights.Get(WeightSlot::kO), nullptr, Live(buffers_->branch));
}

// A dense MLP, or the shared expert (whose slots follow kSharedGate), into `out`.
void Forward::Mlp(const Lease& weights, WeightSlot gate, std::int64_t width,
                  const kernels::Activation& out) {
  const bool shared = gate == WeightSlot::kSharedGate;
  const Input x = Normed();
  const kernels::Activation both = Columns(Live(buffers_->gate_up), 0, 2 * width);
  const kernels::Activation gated = Columns(both, 0, width);
  const kernels::Activation up = Columns(both, width, width);
  if (const tensor::WeightView* fused = weights.Find(WeightSlot::kGateUp)) {
    Linear(x, *fused, nullptr, both);
  } else {
    Linear(x, weights.Get(gate), nullptr, gated);
    Linear(x, weights.Get(shared ? WeightSlot::kSharedUp : WeightSlot::kUp), nullptr, up);
  }
  const Input hidden = WithCodes(gated, buffers_->quantized);
  Call(operations_.silu_mul, kernels::CheckSiluMulArgs, *stream_,
       {.gate = gated, .up = up, .out = gated, .quantized = hidden.codes});
  Linear(hidden, weights.Get(shared ? WeightSlot::kSharedDown : WeightSlot::kDown), nullptr, out);
}

void Forward::Moe(std::int64_t layer) {
  const spec::MoeSpec& moe = *model_.moe;
  const Lease& weights = LayerWeights(layer);
  const std::vector<kernels::ExpertView>& experts = experts_[static_cast<std::size_t>(layer)];
  const Input x = Normed();
  Linear(x, weights.Get(WeightSlot::kRouter), nullptr, Live(buffers_->router_logits));
  Call(operations_.router, kernels::CheckRouterArgs, *stream_,
       {.logits = Live(buffers_->router_logits),
        .bias = reinterpret_cast<const float*>(weights.Get(WeightSlot::kRouterBias).data.data),
        .row_sequence = tables().row_sequence,
        .top_k = moe.top_k,
        .group_count = moe.groups,
        .group_top_k = moe.top_groups,
        .normalize = moe.normalise_top_k,
        .scaling = static_cast<float>(moe.scaling),
        .expert_ids = buffers_->expert_ids,
        .expert_weights = buffers_->expert_weights});
  if (moe.shared_width > 0) {
    Mlp(weights, WeightSlot::kSharedGate, moe.shared_width, Live(buffers_->shared));
  }
  kernels::MoeArgs args{
      .experts = experts.data(),
      .expert_count = moe.experts,
      .form = experts.front(),
      .expert_ids = buffers_->expert_ids,
      .expert_weights = buffers_->expert_weights,
      .top_k = moe.top_k,
      .addend = moe.shared_width > 0 ? Live(buffers_->shared) : kernels::Activation{},
      .out = Live(buffers_->branch),
      .scratch = buffers_->scratch,
      .scratch_bytes = buffers_->scratch_bytes};
  if (ReadsIntegers(args.form.gate)) {
    args.quantized_x = Quantize(x);
    args.intermediate_dtype = args.quantized_x.dtype;
    args.intermediate_group = args.quantized_x.group;
  } else {
    args.x = x.x;
  }
  Call(operations_.moe, kernels::CheckMoeArgs, *stream_, args);
}

}  // namespace glint::model
