// SPDX-License-Identifier: Apache-2.0
#include "model/segments.h"

namespace glint::model {
namespace {

class SegmentList {
 public:
  void Add(StepPart part, std::int64_t layer, bool cut_after) {
    if (segments_.empty() || closed_) segments_.emplace_back();
    segments_.back().pieces.push_back({part, layer});
    closed_ = cut_after;
  }
  std::vector<Segment> Take() { return std::move(segments_); }

 private:
  std::vector<Segment> segments_;
  bool closed_ = false;
};

}  // namespace

std::vector<Segment> PlanSegments(const spec::ModelSpec& model, const Shard& shard,
                                  const SegmentOptions& options) {
  const bool cut_attention = options.host_collectives && shard.attention_tensor.size > 1;
  const bool cut_mlp =
      options.host_collectives && (shard.expert.size > 1 || shard.expert_tensor.size > 1);
  const bool cut_vocabulary = options.host_collectives && shard.vocabulary.size > 1;
  const IndexRange layers = LayersOf(model, shard);
  SegmentList list;
  if (layers.begin == 0) list.Add(StepPart::kEmbedding, -1, cut_vocabulary);
  for (std::int64_t layer = layers.begin; layer < layers.end; ++layer) {
    list.Add(StepPart::kAttention, layer, cut_attention);
    if (model.Layer(layer).mlp == spec::MlpKind::kMoe) {
      list.Add(StepPart::kRouter, layer, !options.weights_resident);
    }
    list.Add(StepPart::kMlp, layer, cut_mlp);
  }
  if (layers.end == model.TrunkLayers()) list.Add(StepPart::kHead, -1, false);
  return list.Take();
}

}  // namespace glint::model
