// SPDX-License-Identifier: Apache-2.0
#include "model/internal/forward_buffers.h"

#include <algorithm>
#include <utility>

#include "kernels/indexer_topk/indexer_topk.h"
#include "kernels/moe/moe_cpu.h"
#include "spec/parameters.h"

namespace glint::model {
namespace {

using kernels::Activation;

constexpr std::int64_t kAlign = 64;

// Walks the same list twice: first to add up sizes, then to hand out addresses.
class Carver {
 public:
  explicit Carver(std::byte* base) : base_(base) {}

  template <typename T>
  void Take(T*& pointer, std::int64_t count) {
    TakeBytes(reinterpret_cast<void**>(&pointer), count * static_cast<std::int64_t>(sizeof(T)));
  }
  void TakeBytes(void** pointer, std::int64_t bytes) {
    if (base_ != nullptr) *pointer = base_ + used_;
    used_ += (bytes + kAlign - 1) / kAlign * kAlign;
  }
  void Take(Activation& activation, std::int64_t rows, std::int64_t columns) {
    activation = {.rows = rows, .columns = columns, .stride = columns};
    TakeBytes(&activation.data, rows * columns * 4);
  }
  [[nodiscard]] std::int64_t used() const { return used_; }

 private:
  std::byte* base_;
  std::int64_t used_ = 0;
};

void CarveAttention(const spec::ModelSpec& model, std::int64_t rows, ForwardBuffers& to,
                    Carver& carver) {
  if (model.mla) {
    const spec::MlaSpec& mla = *model.mla;
    carver.Take(to.q_a, rows, mla.q_lora_rank);
    carver.Take(to.q_residual, rows, mla.q_lora_rank);
    carver.Take(to.q, rows, model.heads * (mla.nope_dim + mla.rope_dim));
    carver.Take(to.kv_a, rows, mla.kv_lora_rank + mla.rope_dim);
    carver.Take(to.q_latent, rows, model.heads * mla.kv_lora_rank);
    carver.Take(to.attended, rows, model.heads * mla.kv_lora_rank);
    carver.Take(to.values, rows, model.heads * mla.v_dim);
  }
  if (model.indexer) {
    const spec::IndexerSpec& indexer = *model.indexer;
    carver.Take(to.index_q, rows, indexer.heads * indexer.head_dim);
    carver.Take(to.index_k, rows, indexer.head_dim);
    carver.Take(to.index_weights, rows, indexer.heads);
    to.selection.top_k = indexer.top_k;
    carver.Take(to.selection.positions, rows * indexer.top_k);
    to.scratch_bytes = kernels::IndexerTopkScratchBytes(1, indexer.top_k);
  }
  if (model.gqa) {
    carver.Take(to.q, rows, model.heads * model.gqa->head_dim);
    carver.Take(to.k, rows, model.gqa->kv_heads * model.gqa->head_dim);
    carver.Take(to.v, rows, model.gqa->kv_heads * model.gqa->head_dim);
    carver.Take(to.values, rows, model.heads * model.gqa->head_dim);
  }
}

// The most columns that a weight matrix of the model takes in, or all heads of one.
std::int64_t WidestInput(const spec::ModelSpec& model) {
  std::int64_t widest = 0;
  for (const spec::TensorGroup& group : spec::ListTensors(model)) {
    widest = std::max(widest, group.columns);
  }
  if (model.mla) {
    const spec::MlaSpec& mla = *model.mla;
    widest =
        std::max(widest, model.heads * std::max(mla.nope_dim + mla.rope_dim, mla.kv_lora_rank));
  }
  return widest;
}

// Room for `rows` rows of any width up to `columns`, a row's groups of 32 rounded up.
void CarveQuantized(std::int64_t rows, std::int64_t columns, kernels::QuantizedActivation& to,
                    Carver& carver) {
  constexpr std::int64_t kGroup = 32;
  const std::int64_t groups = (columns + kGroup - 1) / kGroup;
  to.group = kGroup;
  carver.TakeBytes(&to.quantized, rows * columns);
  carver.Take(to.scales, rows * groups);
  carver.Take(to.sums, rows * groups);
}

void Carve(const spec::ModelSpec& model, const ForwardBuffers::Limits& limits, ForwardBuffers& to,
           Carver& carver) {
  const std::int64_t rows = limits.rows;
  const std::int64_t hidden = model.hidden_size;
  for (Activation* one : {&to.residual, &to.normed, &to.branch}) carver.Take(*one, rows, hidden);
  CarveAttention(model, rows, to, carver);
  const std::int64_t shared_width = model.moe ? model.moe->shared_width : 0;
  carver.Take(to.gate_up, rows, 2 * std::max(model.dense_width, shared_width));
  if (model.moe) {
    carver.Take(to.shared, rows, shared_width > 0 ? hidden : 0);
    carver.Take(to.router_logits, rows, model.moe->experts);
    carver.Take(to.expert_ids, rows * model.moe->top_k);
    carver.Take(to.expert_weights, rows * model.moe->top_k);
  }
  if (!model.mtp_layers.empty()) {
    carver.Take(to.mtp_input, rows, 2 * hidden);
    carver.Take(to.mtp_embedding, rows, hidden);
    carver.Take(to.mtp_hidden, rows, hidden);
  }
  if (model.moe) {
    to.scratch_bytes = std::max(
        to.scratch_bytes,
        kernels::MoeCpuScratchBytes(rows, model.moe->top_k, model.moe->expert_width, hidden));
  }
  CarveQuantized(std::max(rows, limits.logit_rows), WidestInput(model), to.quantized, carver);
  CarveQuantized(rows, hidden, to.quantized_normed, carver);
  if (model.mla) CarveQuantized(rows, model.mla->q_lora_rank, to.quantized_q_residual, carver);
  carver.Take(to.head_input, limits.logit_rows, hidden);
  carver.Take(to.logits, limits.logit_rows, model.vocab_size);
  carver.TakeBytes(&to.scratch, to.scratch_bytes);
}

}  // namespace

Activation Columns(Activation activation, std::int64_t begin, std::int64_t count) {
  activation.data =
      static_cast<std::byte*>(activation.data) + begin * tensor::DTypeBytes(activation.dtype);
  activation.columns = count;
  return activation;
}

Result<std::unique_ptr<ForwardBuffers>> ForwardBuffers::Create(const spec::ModelSpec& model,
                                                               const Limits& limits,
                                                               device::Device& device) {
  auto buffers = std::make_unique<ForwardBuffers>();
  Carver sizes(nullptr);
  Carve(model, limits, *buffers, sizes);
  GLINT_ASSIGN(buffers->memory_, device.Allocate(sizes.used()));
  Carver places(buffers->memory_->data());
  Carve(model, limits, *buffers, places);
  return buffers;
}

}  // namespace glint::model
