// SPDX-License-Identifier: Apache-2.0
#include "sched/page_pool.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace glint::sched {
namespace {

BlockHash Block(std::uint64_t number) { return {.high = 7, .low = number}; }

TEST(PagePool, ANamedPageIsFoundAfterItsHolderLeft) {
  PagePool pool(2);
  const PageId page = *pool.Take();
  pool.Name(page, Block(1));
  pool.LetGo(page);
  EXPECT_EQ(pool.available(), 2);
  ASSERT_EQ(pool.Find(Block(1)), page);
  pool.Hold(page);
  pool.Hold(page);
  EXPECT_EQ(pool.holders(page), 2);
  EXPECT_EQ(pool.available(), 1);
}

TEST(PagePool, TheFirstOfTwoEqualBlocksKeepsTheName) {
  PagePool pool(2);
  const PageId first = *pool.Take();
  const PageId second = *pool.Take();
  pool.Name(first, Block(1));
  pool.Name(second, Block(1));
  EXPECT_EQ(pool.Find(Block(1)), first);
  EXPECT_FALSE(pool.named(second));
}

TEST(PagePool, UnnamedPagesGoBeforeNamedOnesAndTheLongestIdleFirst) {
  PagePool pool(3);
  const PageId a = *pool.Take();
  const PageId b = *pool.Take();
  const PageId c = *pool.Take();
  pool.Name(a, Block(1));
  pool.Name(b, Block(2));
  pool.LetGo(b);
  pool.LetGo(a);
  pool.LetGo(c);
  EXPECT_EQ(pool.Take(), c);
  EXPECT_EQ(pool.Take(), b);
  EXPECT_EQ(pool.Find(Block(2)), std::nullopt);
  EXPECT_EQ(pool.Take(), a);
  EXPECT_EQ(pool.Take(), std::nullopt);
  EXPECT_EQ(pool.evictions(), 2);
}

TEST(PagePool, WhatIsForgottenIsNotFoundAndIsFreeOnceItIsLetGo) {
  PagePool pool(2);
  const PageId held = *pool.Take();
  const PageId idle = *pool.Take();
  pool.Name(held, Block(1));
  pool.Name(idle, Block(2));
  pool.LetGo(idle);
  pool.Forget(held);
  pool.Forget(idle);
  EXPECT_EQ(pool.Find(Block(1)), std::nullopt);
  EXPECT_EQ(pool.Find(Block(2)), std::nullopt);
  pool.LetGo(held);
  EXPECT_EQ(pool.available(), 2);
  EXPECT_EQ(pool.evictions(), 0);
}

// Field report D7: pages that could be evicted, and none was. Whatever was named, held and let go
// in whatever order, Take gives a page as long as one is not held.
TEST(PagePool, D7EvictionAdvancesWhileAnyPageIsNotHeld) {
  std::mt19937 random(3);
  PagePool pool(16);
  std::deque<PageId> holds;
  for (int turn = 0; turn < 20000; ++turn) {
    const auto pick = random() % 4;
    if (pick == 0 && !holds.empty()) {
      pool.Name(holds[random() % holds.size()], Block(random() % 40));
    } else if (pick == 1 && !holds.empty()) {
      const std::size_t index = random() % holds.size();
      pool.LetGo(holds[index]);
      holds.erase(holds.begin() + static_cast<std::ptrdiff_t>(index));
    } else if (pick == 2) {
      if (const auto page = pool.Find(Block(random() % 40))) {
        pool.Hold(*page);
        holds.push_back(*page);
      }
    } else {
      const bool can = pool.available() > 0;
      const auto page = pool.Take();
      ASSERT_EQ(page.has_value(), can);
      if (page) {
        ASSERT_EQ(pool.holders(*page), 1);
        ASSERT_FALSE(pool.named(*page));
        holds.push_back(*page);
      }
    }
    std::map<PageId, std::int32_t> held;
    for (const PageId page : holds) ++held[page];
    ASSERT_EQ(pool.available(), 16 - static_cast<std::int32_t>(held.size()));
    for (const auto& [page, count] : held) ASSERT_EQ(pool.holders(page), count);
  }
}

}  // namespace
}  // namespace glint::sched
