// SPDX-License-Identifier: Apache-2.0
#include "model/batch.h"

#include <gtest/gtest.h>

#include <limits>

namespace glint::model {
namespace {

TEST(TokenSlot, IdsAndSamplesDoNotMix) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t number : {0, 1, 154879, kMost}) {
    EXPECT_TRUE(TokenSlot::Id(number).is_id());
    EXPECT_EQ(TokenSlot::Id(number).id(), number);
    EXPECT_FALSE(TokenSlot::SampleInFlight(number).is_id());
    EXPECT_EQ(TokenSlot::SampleInFlight(number).sample_index(), number);
  }
  EXPECT_EQ(TokenSlot::SampleInFlight(0).bits(), -1);
}

TEST(TokenSlotDeathTest, AskingForTheOtherKindIsABug) {
  EXPECT_DEATH((void)TokenSlot::Id(3).sample_index(), "refers to a sample");
  EXPECT_DEATH((void)TokenSlot::SampleInFlight(3).id(), "holds an id");
  EXPECT_DEATH((void)TokenSlot::Id(-1), "a token id");
}

TEST(Batch, CountsRowsOverSequences) {
  Batch batch;
  batch.sequences.push_back({.tokens = {TokenSlot::Id(1), TokenSlot::Id(2)}, .pages = {}});
  batch.sequences.push_back({.tokens = {TokenSlot::SampleInFlight(0)}, .pages = {}});
  EXPECT_EQ(batch.RowCount(), 3);
}

}  // namespace
}  // namespace glint::model
