// SPDX-License-Identifier: Apache-2.0
#include "spec/slice.h"

#include <charconv>
#include <optional>
#include <string>

#include "base/format.h"

namespace glint::spec {
namespace {

struct Counts {
  std::optional<std::int64_t> dense;
  std::optional<std::int64_t> moe;
};

bool ReadPart(std::string_view part, Counts& counts) {
  const std::size_t colon = part.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view kind = part.substr(0, colon);
  const std::string digits(part.substr(colon + 1));
  std::int64_t count = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, count);
  if (failure != std::errc() || stop != end || count < 0) return false;
  std::optional<std::int64_t>* place = kind == "dense" ? &counts.dense
                                       : kind == "moe" ? &counts.moe
                                                       : nullptr;
  if (place == nullptr || place->has_value()) return false;
  *place = count;
  return true;
}

Result<Counts> ReadCounts(std::string_view text) {
  Counts counts;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    if (!ReadPart(rest.substr(0, comma), counts)) {
      return InvalidArgument(
          format("--layers is {}, must be a list such as dense:3,moe:4", Quoted(text)));
    }
    if (comma == std::string_view::npos) return counts;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<ModelSpec> SliceLayers(const ModelSpec& model, std::string_view text) {
  GLINT_ASSIGN(const Counts counts, ReadCounts(text));
  const std::int64_t dense = counts.dense.value_or(0);
  const std::int64_t moe = counts.moe.value_or(0);
  if (dense > model.TrunkLayers() || moe > model.TrunkLayers() || dense + moe == 0 ||
      dense + moe > model.TrunkLayers()) {
    return InvalidArgument(format("--layers {} asks for {} layers, must be 1 to {}", text,
                                  dense + moe, model.TrunkLayers()));
  }
  if (moe > 0 && !model.moe) {
    return InvalidArgument(format("--layers {}: this model has no MoE layers", text));
  }
  ModelSpec slice = model;
  slice.mtp_layers.clear();
  slice.mtp_own_embeddings = false;
  slice.layers.resize(static_cast<std::size_t>(dense + moe));
  for (std::size_t i = 0; i < slice.layers.size(); ++i) {
    slice.layers[i].mlp = static_cast<std::int64_t>(i) < dense ? MlpKind::kDense : MlpKind::kMoe;
  }
  return slice;
}

}  // namespace glint::spec
