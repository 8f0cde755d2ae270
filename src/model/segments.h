// SPDX-License-Identifier: Apache-2.0
// A forward step as a list of segments, cut where something outside the device's own stream may
// have to happen: after each router (experts may have to be fetched or run elsewhere) and at each
// collective that the stream cannot order by itself.
//
// Seam: design.md section 3, "Graphs". With all weights resident and device-ordered collectives
// nothing needs a cut, and the step is captured as one graph.
#pragma once

#include <cstdint>
#include <vector>

#include "model/shard.h"
#include "spec/model_spec.h"

namespace glint::model {

enum class StepPart : std::uint8_t {
  kEmbedding,
  kAttention,  // norm, projections, attention, output projection
  kRouter,     // norm and router; of a dense layer: nothing
  kMlp,        // experts or dense MLP
  kHead,       // final norm, lm_head, sampling
};

struct StepPiece {
  StepPart part;
  std::int64_t layer = -1;  // -1 for embedding and head
};

// Pieces that run without a look from the host.
struct Segment {
  std::vector<StepPiece> pieces;
};

struct SegmentOptions {
  bool weights_resident = true;   // false: the host fetches experts after each router
  bool host_collectives = false;  // true: the host takes part in each collective
};

// All pieces of the trunk layers that `shard` holds, in order, cut as the options ask. The first
// stage embeds, the last one has the head.
std::vector<Segment> PlanSegments(const spec::ModelSpec& model, const Shard& shard,
                                  const SegmentOptions& options);

}  // namespace glint::model
