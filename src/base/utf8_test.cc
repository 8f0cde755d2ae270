// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(Utf8, LengthOfWellFormedSequences) {
  EXPECT_EQ(Utf8SequenceLength("a"), 1U);
  EXPECT_EQ(Utf8SequenceLength("é"), 2U);
  EXPECT_EQ(Utf8SequenceLength("中"), 3U);
  EXPECT_EQ(Utf8SequenceLength("😀"), 4U);
  EXPECT_TRUE(IsUtf8("aé中😀"));
  EXPECT_TRUE(IsUtf8(""));
}

TEST(Utf8, RefusesOverlongSurrogatesCutAndStrayBytes) {
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe4\xb8", "\xf0\x9f\x98", "\xff", "\xc3"}) {
    EXPECT_EQ(Utf8SequenceLength(text), 0U);
    EXPECT_FALSE(IsUtf8(text));
  }
}

}  // namespace
}  // namespace glint
