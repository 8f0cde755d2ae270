// SPDX-License-Identifier: Apache-2.0
#include "model/shard.h"

#include <algorithm>

#include "base/format.h"

namespace glint::model {
namespace {

IndexRange Even(std::int64_t count, const GroupPlace& place) {
  const std::int64_t share = count / place.size;
  return {place.rank * share, (place.rank + 1) * share};
}

Status CheckGroup(const char* group, const GroupPlace& place, const char* what,
                  std::int64_t count) {
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size) {
    return InvalidArgument(
        format("{}: rank {} is outside a group of {}", group, place.rank, place.size));
  }
  if (count % place.size != 0) {
    return InvalidArgument(
        format("{}: {} {} do not divide by {} ranks", group, count, what, place.size));
  }
  return Ok();
}

}  // namespace

Status CheckShard(const spec::ModelSpec& model, const Shard& shard) {
  GLINT_TRY(CheckGroup("attention tensor-parallel", shard.attention_tensor, "heads", model.heads));
  GLINT_TRY(CheckGroup("attention data-parallel", shard.attention_data, "", 0));
  const std::int64_t experts = model.moe ? model.moe->experts : 0;
  const std::int64_t width = model.moe ? model.moe->expert_width : model.dense_width;
  GLINT_TRY(CheckGroup("expert-parallel", shard.expert, "experts", experts));
  GLINT_TRY(
      CheckGroup("expert tensor-parallel", shard.expert_tensor, "columns of an expert", width));
  GLINT_TRY(CheckGroup("vocabulary-parallel", shard.vocabulary, "rows", model.vocab_size));
  GLINT_TRY(CheckGroup("pipeline", shard.pipeline, "", 0));
  if (shard.pipeline.size > model.TrunkLayers()) {
    return InvalidArgument(
        format("pipeline: {} stages for {} layers", shard.pipeline.size, model.TrunkLayers()));
  }
  return Ok();
}

IndexRange HeadsOf(const spec::ModelSpec& model, const Shard& shard) {
  return Even(model.heads, shard.attention_tensor);
}

IndexRange ExpertsOf(const spec::ModelSpec& model, const Shard& shard) {
  return Even(model.moe ? model.moe->experts : 0, shard.expert);
}

IndexRange VocabularyOf(const spec::ModelSpec& model, const Shard& shard) {
  return Even(model.vocab_size, shard.vocabulary);
}

IndexRange LayersOf(const spec::ModelSpec& model, const Shard& shard) {
  const std::int64_t share = model.TrunkLayers() / shard.pipeline.size;
  const std::int64_t extra = model.TrunkLayers() % shard.pipeline.size;
  const std::int64_t begin = shard.pipeline.rank * share + std::min(shard.pipeline.rank, extra);
  return {begin, begin + share + (shard.pipeline.rank < extra ? 1 : 0)};
}

}  // namespace glint::model
