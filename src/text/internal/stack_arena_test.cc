// SPDX-License-Identifier: Apache-2.0
#include "text/internal/stack_arena.h"

#include <gtest/gtest.h>

namespace glint::text {
namespace {

TEST(StackArena, EqualStacksAreOne) {
  StackArena arena;
  const std::int32_t a = arena.Push({1, 0, {}});
  const std::int32_t b = arena.Push({2, a, {}});
  EXPECT_EQ(arena.Push({1, 0, {}}), a);
  EXPECT_EQ(arena.Push({2, a, {}}), b);
  EXPECT_NE(arena.Push({2, a, {.need = 1}}), b);
  EXPECT_EQ(arena.Top(b).parent, a);
  EXPECT_EQ(arena.Top(b).return_state, 2);
}

TEST(StackArena, TruncatingForgetsTheNewestOnly) {
  StackArena arena;
  for (std::int32_t i = 0; i < 500; ++i) EXPECT_EQ(arena.Push({i, 0, {}}), i + 1);
  arena.Truncate(101);
  EXPECT_EQ(arena.size(), 101);
  for (std::int32_t i = 0; i < 100; ++i) EXPECT_EQ(arena.Push({i, 0, {}}), i + 1);
  EXPECT_EQ(arena.Push({400, 0, {}}), 101);
  EXPECT_EQ(arena.Push({100, 0, {}}), 102);
}

}  // namespace
}  // namespace glint::text
