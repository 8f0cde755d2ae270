// SPDX-License-Identifier: Apache-2.0
#include "model/checkpoint_weights.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/format.h"
#include "model/internal/gguf_weights.h"

namespace glint::model {
namespace {

using spec::TensorGroup;
using tensor::Checkpoint;
using tensor::StoredWeight;
using tensor::TensorView;
using tensor::WeightView;

constexpr std::string_view kWeightSuffix = ".weight";

StoredWeight PlainMatrix(const TensorView& view, std::int64_t rows, std::int64_t columns,
                         std::string name) {
  StoredWeight stored;
  stored.view.rows = rows;
  stored.view.columns = columns;
  stored.view.data = view;
  stored.tensors.push_back(std::move(name));
  return stored;
}

// The name with `from` replaced by `to`, or empty when it does not hold `from`.
std::string Replaced(const std::string& name, std::string_view from, std::string_view to) {
  const std::size_t at = name.find(from);
  if (at == std::string::npos) return {};
  return name.substr(0, at) + std::string(to) + name.substr(at + from.size());
}

// One expert of a tensor that holds all of them: rows first_row .. first_row + rows of the
// expert's [fused_rows, columns].
Result<StoredWeight> ExpertSlice(const Checkpoint& checkpoint, const TensorGroup& group,
                                 std::int64_t expert) {
  const bool down = group.name.ends_with("down_proj.weight");
  const bool up = group.name.ends_with("up_proj.weight");
  const std::int64_t fused_rows = down ? group.rows : 2 * group.rows;
  const std::size_t star = group.name.find("*.");
  const std::string name = group.name.substr(0, star) + (down ? "down_proj" : "gate_up_proj");
  GLINT_ASSIGN(
      const TensorView all,
      tensor::FindPlainTensor(checkpoint, name, {group.copies, fused_rows, group.columns}));
  const std::int64_t first_row = expert * fused_rows + (up ? group.rows : 0);
  const std::int64_t row_bytes = group.columns * tensor::DTypeBytes(all.dtype);
  const TensorView slice{all.dtype, {group.rows, group.columns}, all.data + first_row * row_bytes};
  return PlainMatrix(slice, group.rows, group.columns, name);
}

bool HasFusedExperts(const Checkpoint& checkpoint, const TensorGroup& group) {
  if (group.role != spec::TensorRole::kExpert) return false;
  const std::string prefix = group.name.substr(0, group.name.find("*."));
  return checkpoint.Find(prefix + "gate_up_proj") != nullptr;
}

Result<StoredWeight> LocateStored(const Checkpoint& checkpoint, const TensorGroup& group,
                                  std::int64_t copy) {
  if (HasFusedExperts(checkpoint, group)) return ExpertSlice(checkpoint, group, copy);
  const std::string name = group.NameOf(copy);
  if (group.is_vector()) {
    GLINT_ASSIGN(const TensorView view, tensor::FindPlainTensor(checkpoint, name, {group.rows}));
    return PlainMatrix(view, group.rows, 1, name);
  }
  const std::string base = name.substr(0, name.size() - kWeightSuffix.size());
  auto found = tensor::FindStoredWeight(checkpoint, base, {group.rows, group.columns});
  const std::string alias = Replaced(base, "indexer.weights_proj", "indexer.indexers_proj");
  if (!found.ok() && found.error().code == ErrorCode::kNotFound && !alias.empty() &&
      checkpoint.Find(alias + std::string(kWeightSuffix)) != nullptr) {
    return tensor::FindStoredWeight(checkpoint, alias, {group.rows, group.columns});
  }
  return found;
}

Result<LocatedWeight> Locate(const spec::ModelSpec& model, const Checkpoint& checkpoint,
                             const TensorGroup& group, std::int64_t copy) {
  if (checkpoint.is_gguf()) return LocateGgufWeight(model, checkpoint, group, copy);
  LocatedWeight located;
  GLINT_ASSIGN(located.stored, LocateStored(checkpoint, group, copy));
  return located;
}

// Drops MTP layers that the checkpoint has nothing of. The published count is 1 in every config,
// but some conversions leave the layer out.
void DropAbsentMtp(const Checkpoint& checkpoint, CheckpointWeights& weights) {
  if (weights.model.mtp_layers.empty()) return;
  const std::int64_t layer = weights.model.TrunkLayers();
  const std::string prefix =
      checkpoint.is_gguf() ? format("blk.{}.", layer) : format("model.layers.{}.", layer);
  const auto tensors = checkpoint.tensors();
  const bool present = std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
    return tensor.name.starts_with(prefix);
  });
  if (present) return;
  weights.warnings.push_back(
      format("the number of MTP layers is {}, but there is no tensor {}*: no MTP layer, so no "
             "speculation by it",
             weights.model.mtp_layers.size(), prefix));
  weights.model.mtp_layers.clear();
}

// Its tensor is absent altogether, and the model can do without.
bool MayBeAbsent(const Checkpoint& checkpoint, const TensorGroup& group, const Error& error) {
  return group.optional && error.code == ErrorCode::kNotFound &&
         checkpoint.Find(group.name) == nullptr;
}

}  // namespace

double SplitKvBElement(const SplitKvB& split, std::int64_t row, std::int64_t column) {
  const std::int64_t nope = split.k.columns;
  const std::int64_t kv_lora = split.v.columns;
  const std::int64_t heads = split.k.rows / kv_lora;
  const std::int64_t v_dim = split.v.rows / heads;
  const std::int64_t head = row / (nope + v_dim);
  const std::int64_t within = row % (nope + v_dim);
  if (within < nope) return tensor::WeightElement(split.k, head * kv_lora + column, within);
  return tensor::WeightElement(split.v, head * v_dim + within - nope, column);
}

std::vector<WeightView> LocatedWeight::StoredViews() const {
  if (split_kv_b) return {split_kv_b->k, split_kv_b->v};
  return {stored.view};
}

Result<CheckpointWeights> LocateWeights(const spec::ModelSpec& model,
                                        const Checkpoint& checkpoint) {
  CheckpointWeights weights;
  weights.model = model;
  DropAbsentMtp(checkpoint, weights);
  weights.groups = spec::ListTensors(weights.model);
  std::unordered_set<std::string> used;
  for (std::size_t index = 0; index < weights.groups.size(); ++index) {
    const TensorGroup& group = weights.groups[index];
    for (std::int64_t copy = 0; copy < group.copies; ++copy) {
      auto found = Locate(weights.model, checkpoint, group, copy);
      if (!found.ok()) {
        if (MayBeAbsent(checkpoint, group, found.error())) continue;
        return found.error();
      }
      LocatedWeight located = std::move(found).value();
      located.group = static_cast<std::int64_t>(index);
      located.copy = copy;
      used.insert(located.stored.tensors.begin(), located.stored.tensors.end());
      weights.located.push_back(std::move(located));
    }
  }
  for (const tensor::StoredTensor& tensor : checkpoint.tensors()) {
    if (!used.contains(tensor.name)) weights.unused.push_back(tensor.name);
  }
  if (checkpoint.is_gguf()) GLINT_TRY(CheckUnusedGguf(checkpoint, weights.unused));
  return weights;
}

}  // namespace glint::model
