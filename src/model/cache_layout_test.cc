// SPDX-License-Identifier: Apache-2.0
#include "model/cache_layout.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/cache_plan.h"
#include "spec/config_parser.h"

namespace glint::model {
namespace {

spec::ModelSpec Builtin(std::string_view name) { return spec::ParseBuiltin(name).value(); }

TEST(CacheLayout, BytesPerTokenAreThoseOfThePlan) {
  for (const std::string& name : spec::BuiltinModelNames()) {
    const spec::ModelSpec model = Builtin(name);
    const auto layout = CacheLayout::Create(model, {.page_count = 7, .page_tokens = 16});
    EXPECT_EQ(layout.value().BytesPerToken(), spec::CacheBytesPerToken(model)) << name;
  }
}

TEST(CacheLayout, PartsFollowEachOtherWithoutOverlap) {
  const spec::ModelSpec model = Builtin("glm-5.2");
  const CacheLayout layout =
      CacheLayout::Create(model, {.page_count = 3, .page_tokens = 4}).value();
  std::byte* base = nullptr;
  const kernels::CacheView latents = layout.Latents(base, 2);
  const kernels::CacheView keys = layout.IndexerKeys(base, 2);
  const kernels::CacheView next = layout.Latents(base, 3);
  EXPECT_EQ(latents.width, 576);
  EXPECT_EQ(keys.width, 128);
  const auto distance = [](const kernels::CacheView& from, const kernels::CacheView& to) {
    return static_cast<std::byte*>(to.data) - static_cast<std::byte*>(from.data);
  };
  EXPECT_EQ(distance(latents, keys), 3 * 4 * 576 * 2);
  EXPECT_EQ(distance(keys, next), 3 * 4 * 128 * 2);
}

TEST(CacheLayoutDeathTest, SharedLayersHaveNoIndexerKeys) {
  const CacheLayout layout = CacheLayout::Create(Builtin("glm-5.2"), {.page_count = 1}).value();
  EXPECT_DEATH((void)layout.IndexerKeys(nullptr, 3), "has such a cache");
}

TEST(CacheLayout, OptionsOutOfRangeAreRefused) {
  const spec::ModelSpec model = Builtin("bench-dense");
  EXPECT_FALSE(CacheLayout::Create(model, {.page_count = 0}).ok());
  EXPECT_FALSE(CacheLayout::Create(model, {.dtype = tensor::DType::kI8, .page_count = 1}).ok());
  EXPECT_FALSE(CacheLayout::Create(model, {.page_count = std::int64_t{1} << 60}).ok());
}

}  // namespace
}  // namespace glint::model
