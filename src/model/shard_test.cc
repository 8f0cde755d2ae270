// SPDX-License-Identifier: Apache-2.0
#include "model/shard.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::model {
namespace {

spec::ModelSpec Builtin(std::string_view name) { return spec::ParseBuiltin(name).value(); }

TEST(Shard, TheTrivialShardHoldsEverything) {
  const spec::ModelSpec model = Builtin("glm-5.2");
  const Shard whole;
  ASSERT_TRUE(CheckShard(model, whole).ok());
  EXPECT_EQ(HeadsOf(model, whole).size(), 64);
  EXPECT_EQ(ExpertsOf(model, whole).size(), 256);
  EXPECT_EQ(VocabularyOf(model, whole).size(), 154880);
  EXPECT_EQ(LayersOf(model, whole).size(), 78);
}

TEST(Shard, RanksCoverEverythingOnce) {
  const spec::ModelSpec model = Builtin("glm-5.2");
  std::int64_t next_head = 0;
  std::int64_t next_layer = 0;
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    const Shard shard{.attention_tensor = {rank, 8}, .pipeline = {rank, 8}};
    ASSERT_TRUE(CheckShard(model, shard).ok());
    EXPECT_EQ(HeadsOf(model, shard).begin, next_head);
    EXPECT_EQ(LayersOf(model, shard).begin, next_layer);
    next_head = HeadsOf(model, shard).end;
    next_layer = LayersOf(model, shard).end;
  }
  EXPECT_EQ(next_head, 64);
  EXPECT_EQ(next_layer, 78);
}

TEST(Shard, WhatDoesNotDivideIsNamed) {
  const spec::ModelSpec flash = Builtin("glm-4.7-flash");
  EXPECT_EQ(CheckShard(flash, {.attention_tensor = {0, 8}}).error().message,
            "attention tensor-parallel: 20 heads do not divide by 8 ranks");
  EXPECT_EQ(CheckShard(flash, {.expert = {4, 4}}).error().message,
            "expert-parallel: rank 4 is outside a group of 4");
  EXPECT_EQ(CheckShard(flash, {.pipeline = {0, 48}}).error().message,
            "pipeline: 48 stages for 47 layers");
}

}  // namespace
}  // namespace glint::model
