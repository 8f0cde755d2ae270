// SPDX-License-Identifier: Apache-2.0
#include "text/grammar.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace glint::text {
namespace {

TEST(AllowAll, MasksEveryPositionOfADraftUpToTheVocabulary) {
  const auto matcher = MakeAllowAll(70);
  const std::array<std::int32_t, 2> draft = {5, 69};
  std::vector<std::uint32_t> masks(9, 0);
  matcher->FillMasks(draft, masks);
  for (std::size_t position = 0; position < 3; ++position) {
    EXPECT_EQ(masks[position * 3], 0xFFFFFFFFU);
    EXPECT_EQ(masks[position * 3 + 1], 0xFFFFFFFFU);
    EXPECT_EQ(masks[position * 3 + 2], 0x3FU);
  }
}

TEST(AllowAll, AcceptsTheVocabularyOnlyAndRollsBack) {
  const auto matcher = MakeAllowAll(70);
  EXPECT_TRUE(matcher->Accept(0));
  EXPECT_TRUE(matcher->Accept(69));
  EXPECT_FALSE(matcher->Accept(70));
  EXPECT_FALSE(matcher->Accept(-1));
  matcher->Rollback(2);
  EXPECT_TRUE(matcher->CanEnd());
}

TEST(AllowAllDeathTest, RollingBackMoreThanWasAcceptedIsABug) {
  const auto matcher = MakeAllowAll(70);
  EXPECT_TRUE(matcher->Accept(1));
  EXPECT_DEATH(matcher->Rollback(2), "tokens to take back");
}

}  // namespace
}  // namespace glint::text
