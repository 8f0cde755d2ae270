// SPDX-License-Identifier: Apache-2.0
// The place that a model is built for: which share of heads, experts, layers and vocabulary this
// process holds. One process is the trivial shard, which holds everything.
//
// Seam: design.md section 3, "Shard". Attention and experts are split by separate groups, because
// serving splits them differently: attention data-parallel with experts spread over all ranks is
// common.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "spec/model_spec.h"

namespace glint::model {

// Rank `rank` of `size` in one group.
struct GroupPlace {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

struct Shard {
  GroupPlace attention_tensor;  // heads are split
  GroupPlace attention_data;    // whole sequences are split: ranks hold different batches
  GroupPlace expert;            // routed experts are split
  GroupPlace expert_tensor;     // each expert's width is split
  GroupPlace vocabulary;        // rows of embedding and lm_head are split
  GroupPlace pipeline;          // layers are split, consecutive ones stay together
};

// A half-open range of heads, experts, layers or rows.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

// Fails with kInvalidArgument, naming both numbers, when a rank is outside its group or a group
// does not divide what it splits (layers need not divide; there must be one for each stage).
Status CheckShard(const spec::ModelSpec& model, const Shard& shard);

// What this place holds, for a shard that was checked.
IndexRange HeadsOf(const spec::ModelSpec& model, const Shard& shard);
IndexRange ExpertsOf(const spec::ModelSpec& model, const Shard& shard);
IndexRange VocabularyOf(const spec::ModelSpec& model, const Shard& shard);
// Trunk layers. The first stages get one layer more when they do not divide evenly; the MTP layer
// belongs to the last stage.
IndexRange LayersOf(const spec::ModelSpec& model, const Shard& shard);

}  // namespace glint::model
