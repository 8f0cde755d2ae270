// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "engine/internal/block_hash.h"

namespace glint::engine {
namespace {

// The first vector of the authors' reference: key 00 01 .. 0f, no bytes.
TEST(BlockHasher, IsSipHashOf128Bits) {
  const BlockHasher hasher({.low = 0x0706050403020100U, .high = 0x0f0e0d0c0b0a0908U});
  EXPECT_EQ(hasher.Hash(""), (BlockHash{.high = 0x930255c71472f66dU, .low = 0xe6a825ba047f81a3U}));
}

TEST(BlockHasher, NamesDependOnKeySaltParentAndEveryToken) {
  const BlockHasher hasher({.low = 1, .high = 2});
  const std::vector<std::int32_t> page = {1, 2, 3};
  const std::vector<std::int32_t> other = {1, 2, 4};
  const BlockHash root = hasher.Root("");
  const std::set<BlockHash> names = {hasher.Next(root, page),
                                     hasher.Next(root, other),
                                     hasher.Next(hasher.Root("tenant"), page),
                                     hasher.Next(hasher.Next(root, page), page),
                                     BlockHasher({.low = 1, .high = 3}).Next(root, page),
                                     root};
  EXPECT_EQ(names.size(), 6U);
  EXPECT_EQ(hasher.Next(root, page), hasher.Next(root, page));
}

}  // namespace
}  // namespace glint::engine
