// SPDX-License-Identifier: Apache-2.0
#include "load/search.h"

#include <gtest/gtest.h>

namespace glint::load {
namespace {

SearchOutcome Find(const SearchOptions& options, double knee) {
  return FindHighest(options, [knee](double load) -> Result<bool> { return load <= knee; }).value();
}

TEST(Search, FindsTheKneeWithinThePrecision) {
  for (const double knee : {0.11, 0.9, 1.0, 2.4, 37.0, 1000.0}) {
    const SearchOutcome found = Find({.precision = 0.05}, knee);
    ASSERT_TRUE(found.best.has_value()) << knee;
    EXPECT_LE(*found.best, knee);
    EXPECT_GE(*found.best, knee / 1.06) << knee;
    EXPECT_FALSE(found.limited);
    EXPECT_LE(found.steps.size(), 20U);
  }
}

TEST(Search, WholeLoadsAreFoundExactly) {
  for (const double knee : {1.0, 2.0, 7.0, 13.0, 100.0}) {
    EXPECT_EQ(Find({.precision = 0.001, .whole = true}, knee).best, knee);
  }
}

TEST(Search, SaysWhenNothingPassesAndWhenNothingFails) {
  const SearchOutcome none = Find({.whole = true}, 0.5);
  EXPECT_FALSE(none.best.has_value());
  EXPECT_EQ(none.steps.size(), 1U);
  const SearchOutcome all = Find({.most = 10}, 100);
  EXPECT_EQ(all.best, 10);
  EXPECT_TRUE(all.limited);
}

TEST(Search, AnErrorEndsIt) {
  const auto failed = FindHighest({}, [](double) -> Result<bool> { return Unavailable("gone"); });
  EXPECT_EQ(failed.error().message, "gone");
  EXPECT_FALSE(FindHighest({.start = 0}, [](double) -> Result<bool> { return true; }).ok());
}

}  // namespace
}  // namespace glint::load
