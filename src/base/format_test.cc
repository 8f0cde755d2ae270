// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(Format, ThousandsSeparators) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(-1234567), "-1,234,567");
  EXPECT_EQ(WithThousands(753329940480), "753,329,940,480");
}

TEST(Format, BytesAndCountsForPeople) {
  EXPECT_EQ(HumanBytes(512), "512 B");
  EXPECT_EQ(HumanBytes(96640), "96.64 kB");
  EXPECT_EQ(HumanBytes(1506659919872.0), "1.507 TB");
  EXPECT_EQ(HumanCount(753329940480.0), "753.3 B");
  EXPECT_EQ(HumanCount(7), "7");
}

TEST(Format, QuotedKeepsATerminalSafe) {
  EXPECT_EQ(Quoted("plain é"), "\"plain é\"");
  EXPECT_EQ(Quoted("a\x1b[31m\nb\xff\x7f"), R"("a\x1b[31m\x0ab\xff\x7f")");
  EXPECT_EQ(Quoted("abcdefgh", 4), "\"abcd\"...");
}

}  // namespace
}  // namespace glint
