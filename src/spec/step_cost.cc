// SPDX-License-Identifier: Apache-2.0
#include "spec/step_cost.h"

#include <algorithm>
#include <cmath>

#include "spec/cache_plan.h"

namespace glint::spec {
namespace {

// Multiply-adds of scores and weighted sums, for one position of one row over all trunk layers.
double AttentionFlops(const ModelSpec& model) {
  const auto heads = static_cast<double>(model.heads);
  const auto layers = static_cast<double>(model.TrunkLayers());
  if (model.gqa) return 2 * 2 * heads * static_cast<double>(model.gqa->head_dim) * layers;
  const auto rank = static_cast<double>(model.mla->kv_lora_rank);
  const auto rope = static_cast<double>(model.mla->rope_dim);
  return 2 * heads * (rank + rope + rank) * layers;
}

}  // namespace

StepCostModel::StepCostModel(const ModelSpec& model, StorageFormat format) {
  for (const TensorGroup& tensor : ListTensors(model)) {
    if (tensor.mtp || !tensor.active) continue;
    const auto bytes = static_cast<double>(StoredBytesEach(tensor, ChooseStorage(tensor, format)));
    const auto elements = static_cast<double>(tensor.ElementsEach());
    const bool head = tensor.role == TensorRole::kLmHead || tensor.role == TensorRole::kEmbedding;
    if (tensor.role == TensorRole::kExpert) {
      expert_bytes_ += bytes;
      row_parameters_ += elements * static_cast<double>(model.moe->top_k);
    } else if (head) {
      head_bytes_ += bytes;
      head_parameters_ += elements;
    } else {
      always_bytes_ += bytes;
      row_parameters_ += elements;
    }
  }
  cache_bytes_per_token_ = static_cast<double>(CacheBytesPerToken(model));
  attention_flops_per_token_ = AttentionFlops(model);
  if (model.moe) {
    experts_ = static_cast<double>(model.moe->experts);
    top_k_ = static_cast<double>(model.moe->top_k);
  }
  if (model.indexer) positions_limit_ = static_cast<double>(model.indexer->top_k);
}

double StepCostModel::ExpertsTouched(std::int64_t rows) const {
  if (experts_ == 0) return 0;
  return experts_ * (1 - std::pow(1 - top_k_ / experts_, static_cast<double>(rows)));
}

StepCostTerms StepCostModel::Terms(const StepWork& work) const {
  StepCostTerms terms;
  if (work.rows == 0) return terms;
  const auto rows = static_cast<double>(work.rows);
  const auto sampled = static_cast<double>(work.sampled_rows);
  double positions = static_cast<double>(work.context_tokens);
  if (positions_limit_ > 0) positions = std::min(positions, rows * positions_limit_);
  terms.weight_bytes = always_bytes_ + ExpertsTouched(work.rows) * expert_bytes_ +
                       (work.sampled_rows > 0 ? head_bytes_ : 0);
  terms.cache_bytes = positions * cache_bytes_per_token_;
  terms.flops = 2 * (rows * row_parameters_ + sampled * head_parameters_) +
                positions * attention_flops_per_token_;
  return terms;
}

double StepCostModel::Seconds(const StepWork& work, const MachineSpec& machine) const {
  if (work.rows == 0) return 0;
  const StepCostTerms terms = Terms(work);
  const double memory = (terms.weight_bytes + terms.cache_bytes) / machine.read_bytes_per_s;
  return std::max(memory, terms.flops / machine.flops_per_s) + machine.step_overhead_s;
}

}  // namespace glint::spec
