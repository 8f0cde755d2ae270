// SPDX-License-Identifier: Apache-2.0
#include "spec/slice.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

ModelSpec Builtin(std::string_view name) { return ParseBuiltin(name).value(); }

TEST(SliceLayers, KeepsTheScheduleOfTheFirstLayers) {
  const ModelSpec slice = SliceLayers(Builtin("glm-5.2"), "dense:1,moe:6").value();
  ASSERT_EQ(slice.TrunkLayers(), 7);
  EXPECT_TRUE(slice.mtp_layers.empty());
  EXPECT_EQ(slice.layers[0].mlp, MlpKind::kDense);
  EXPECT_EQ(slice.layers[1].mlp, MlpKind::kMoe);
  EXPECT_EQ(slice.layers[3].indexer, IndexerRole::kShared);
  EXPECT_EQ(slice.layers[6].indexer, IndexerRole::kFull);
}

TEST(SliceLayers, OneKindAloneIsEnough) {
  EXPECT_EQ(SliceLayers(Builtin("glm-5.2"), "moe:2").value().TrunkLayers(), 2);
  EXPECT_EQ(SliceLayers(Builtin("glm-4-9b"), "dense:40").value().TrunkLayers(), 40);
}

TEST(SliceLayers, OtherTextIsRefused) {
  for (const char* text : {"", "3", "dense:", "dense:-1", "dense:1,", "dense:1,dense:1", "sparse:1",
                           "dense:1x", "dense:99999999999999999999"}) {
    const auto slice = SliceLayers(Builtin("glm-5.2"), text);
    ASSERT_FALSE(slice.ok()) << text;
    EXPECT_NE(slice.error().message.find("must be a list"), std::string::npos) << text;
  }
  EXPECT_EQ(SliceLayers(Builtin("glm-5.2"), "dense:3,moe:76").error().message,
            "--layers dense:3,moe:76 asks for 79 layers, must be 1 to 78");
  EXPECT_EQ(SliceLayers(Builtin("glm-4-9b"), "moe:1").error().message,
            "--layers moe:1: this model has no MoE layers");
  EXPECT_FALSE(SliceLayers(Builtin("glm-4-9b"), "dense:0").ok());
}

}  // namespace
}  // namespace glint::spec
