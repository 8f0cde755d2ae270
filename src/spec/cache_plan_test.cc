// SPDX-License-Identifier: Apache-2.0
#include "spec/cache_plan.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

ModelSpec Builtin(std::string_view name) { return ParseBuiltin(name).value(); }

TEST(CachePlan, BytesPerTokenOfGlm52) {
  EXPECT_EQ(CacheBytesPerToken(Builtin("glm-5.2")), 91'008 + 5'632);
  EXPECT_EQ(CacheBytesPerTokenFp8(Builtin("glm-5.2")), 51'824 + 2'904);
}

TEST(CachePlan, AllLayersOfGlm5HaveAnIndexer) {
  EXPECT_EQ(CacheBytesPerToken(Builtin("glm-5")), 79 * (1152 + 256));
  EXPECT_EQ(CacheBytesPerTokenFp8(Builtin("glm-5")), 79 * (656 + 132));
}

TEST(CachePlan, LatentsWithoutIndexer) {
  EXPECT_EQ(CacheBytesPerToken(Builtin("glm-4.7-flash")), 48 * 1152);
  EXPECT_EQ(CacheBytesPerTokenFp8(Builtin("glm-4.7-flash")), 48 * 656);
}

TEST(CachePlan, GroupedQueryAttentionHasNoFp8Layout) {
  EXPECT_EQ(CacheBytesPerToken(Builtin("glm-4-9b")), 40 * 2 * 2 * 128 * 2);
  EXPECT_EQ(CacheBytesPerToken(Builtin("glm-4.5")), 93 * 2 * 8 * 128 * 2);
  EXPECT_EQ(CacheBytesPerTokenFp8(Builtin("glm-4.5")), std::nullopt);
}

TEST(CachePlan, RankThatIsNoMultipleOfTheScaleGroupHasNoFp8Layout) {
  ModelSpec model = Builtin("glm-5.2");
  model.mla->kv_lora_rank = 96;
  EXPECT_EQ(CacheBytesPerTokenFp8(model), std::nullopt);
}

}  // namespace
}  // namespace glint::spec
