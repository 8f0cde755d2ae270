// SPDX-License-Identifier: Apache-2.0
#include "sched/page_table.h"

#include <gtest/gtest.h>

#include <set>

namespace glint::sched {
namespace {

constexpr SequenceId kA{1};
constexpr SequenceId kB{2};

PageTable Make(std::int32_t pages) {
  return PageTable::Create({.page_count = pages, .page_tokens = 4}).value();
}

TEST(PageTable, ReservesWholePagesAndKeepsThemInOrder) {
  PageTable table = Make(4);
  EXPECT_EQ(table.Reserve(kA, 1).value().size(), 1U);
  const PageId first = table.Pages(kA)[0];
  EXPECT_EQ(table.Reserve(kA, 9).value().size(), 3U);
  EXPECT_EQ(table.Pages(kA)[0], first);
  EXPECT_EQ(table.Reserve(kA, 2).value().size(), 3U);  // never fewer
  EXPECT_EQ(table.free_pages(), 1);
}

TEST(PageTable, ReserveLeavesTableUnchangedWhenFull) {
  PageTable table = Make(3);
  ASSERT_TRUE(table.Reserve(kA, 8).ok());
  const auto refused = table.Reserve(kB, 8);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message, "2 pages wanted, 1 are free");
  EXPECT_TRUE(table.Pages(kB).empty());
  EXPECT_EQ(table.free_pages(), 1);
}

TEST(PageTable, NoPageIsHeldTwiceAndAllComeBack) {
  PageTable table = Make(8);
  ASSERT_TRUE(table.Reserve(kA, 13).ok());
  ASSERT_TRUE(table.Reserve(kB, 16).ok());
  std::set<PageId> held(table.Pages(kA).begin(), table.Pages(kA).end());
  held.insert(table.Pages(kB).begin(), table.Pages(kB).end());
  EXPECT_EQ(held.size(), 8U);
  table.Release(kA);
  table.Release(kA);
  table.Release(kB);
  EXPECT_EQ(table.free_pages(), 8);
}

TEST(PageTable, OptionsOutOfRangeAreRefusedByName) {
  EXPECT_EQ(PageTable::Create({.page_count = 0}).error().message,
            "page count is 0, must be above 0");
  EXPECT_EQ(PageTable::Create({.page_count = 1, .page_tokens = 0}).error().message,
            "tokens per page is 0, must be above 0");
}

}  // namespace
}  // namespace glint::sched
