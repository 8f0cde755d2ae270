// SPDX-License-Identifier: Apache-2.0
#include "model/segments.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::model {
namespace {

spec::ModelSpec Builtin(std::string_view name) { return spec::ParseBuiltin(name).value(); }

std::size_t Pieces(const std::vector<Segment>& segments) {
  std::size_t pieces = 0;
  for (const Segment& segment : segments) pieces += segment.pieces.size();
  return pieces;
}

TEST(Segments, ResidentWeightsOnOneDeviceAreOneGraph) {
  const auto segments = PlanSegments(Builtin("glm-5.2"), {}, {});
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(Pieces(segments), 2U + 78 * 2 + 75);
}

TEST(Segments, WeightsElsewhereCutAfterEachRouter) {
  const auto segments = PlanSegments(Builtin("glm-5.2"), {}, {.weights_resident = false});
  EXPECT_EQ(segments.size(), 76U);
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    EXPECT_EQ(segments[i].pieces.back().part, StepPart::kRouter);
  }
  EXPECT_EQ(Pieces(segments), 2U + 78 * 2 + 75);
}

TEST(Segments, HostCollectivesCutWhereARankMustWait) {
  const Shard shard{.attention_tensor = {0, 2}, .expert_tensor = {0, 2}};
  const auto segments = PlanSegments(Builtin("bench-dense"), shard, {.host_collectives = true});
  EXPECT_EQ(segments.size(), 2 * 18 + 1U);
}

TEST(Segments, StagesOfAPipelineHoldTheirLayersOnly) {
  const Shard last{.pipeline = {1, 2}};
  const auto segments = PlanSegments(Builtin("bench-dense"), last, {});
  EXPECT_EQ(segments[0].pieces.front().part, StepPart::kAttention);
  EXPECT_EQ(segments[0].pieces.front().layer, 9);
  EXPECT_EQ(segments[0].pieces.back().part, StepPart::kHead);
}

}  // namespace
}  // namespace glint::model
