// SPDX-License-Identifier: Apache-2.0
#include "tensor/read_ahead.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tensor/internal/test_checkpoint.h"

namespace glint::tensor {
namespace {

TEST(ReadAhead, ReadsEveryTensorAndSaysHowFar) {
  const Checkpoint checkpoint = MakeCheckpoint(
      {{.name = "a", .shape = Shape({300, 100})}, {.name = "b", .shape = Shape({1})}});
  std::vector<std::int64_t> seen;
  const std::int64_t read = ReadAhead(checkpoint, [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, checkpoint.tensor_bytes());
    seen.push_back(done);
  });
  EXPECT_EQ(read, checkpoint.tensor_bytes());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), checkpoint.tensor_bytes());
  EXPECT_EQ(ReadAhead(checkpoint, nullptr), read);
}

}  // namespace
}  // namespace glint::tensor
