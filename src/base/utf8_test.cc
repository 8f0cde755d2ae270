// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

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

TEST(Utf8, PrefixEndsBeforeTheFirstInvalidByte) {
  EXPECT_EQ(Utf8PrefixLength(""), 0U);
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string text = std::string(length, 'x') + "é";
    EXPECT_EQ(Utf8PrefixLength(text), text.size());
    EXPECT_EQ(Utf8PrefixLength(text + "\xFFyyyyyyyyyyyyyyyy"), text.size());
    EXPECT_EQ(Utf8PrefixLength(text + "\xE4\xB8"), text.size());
  }
}

TEST(Utf8, DamageIsTheLongestStartOfASequence) {
  const auto expect = [](std::string_view text, std::size_t bytes, bool cut_short) {
    const Utf8Damage damage = DamageAtStart(text);
    EXPECT_EQ(damage.bytes, bytes) << text;
    EXPECT_EQ(damage.cut_short, cut_short) << text;
  };
  expect("\xC3", 1, true);
  expect("\xC3x", 1, false);
  expect("\xF0\x9F\x98", 3, true);
  expect("\xF0\x9F\x98x", 3, false);
  expect("\xF0\x9F\xF0\x9F", 2, false);
  // No sequence starts so: an overlong form, a surrogate, beyond U+10FFFF, a stray byte.
  expect("\xE0\x80", 1, false);
  expect("\xED\xA0", 1, false);
  expect("\xF4\x90", 1, false);
  expect("\x80", 1, false);
  expect("\xFF", 1, false);
}

}  // namespace
}  // namespace glint
