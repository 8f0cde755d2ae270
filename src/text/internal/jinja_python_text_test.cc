// SPDX-License-Identifier: Apache-2.0
// Spot checks; tests/program/test_render.py compares every character with Python.
#include "text/internal/jinja_python_text.h"

#include <gtest/gtest.h>

namespace glint::text::jinja {
namespace {

TEST(PythonText, CaseFollowsUnicode) {
  EXPECT_EQ(Upper("straße ŉ"), "STRASSE ʼN");
  EXPECT_EQ(Lower("ΑΣ ΑΣΑ"), "ας ασα");
  EXPECT_EQ(Title("they're ǆx"), "They'Re ǅx");
  EXPECT_EQ(Capitalize("éCOLE"), "École");
}

TEST(PythonText, StripsUnicodeSpaceOrASet) {
  EXPECT_EQ(Strip("\u3000\t a \u00a0\n"), "a");
  EXPECT_EQ(Strip(" a ", Side::kLeft), "a ");
  EXPECT_EQ(StripSet("ééaé", "é", Side::kRight), "ééa");
  EXPECT_EQ(Strip(" \n "), "");
}

TEST(PythonText, LinesEndInManyWays) {
  EXPECT_EQ(SplitLines("a\r\nb\rc\u2028d\n"), (std::vector<std::string_view>{"a", "b", "c", "d"}));
  EXPECT_EQ(SplitLines("a\n\nb", true), (std::vector<std::string_view>{"a\n", "\n", "b"}));
  EXPECT_TRUE(SplitLines("").empty());
}

TEST(PythonText, PositionsAreCodePoints) {
  EXPECT_EQ(CountCodePoints("aé你😀"), 4);
  EXPECT_EQ(BytePosition("aé你😀", 2), 3U);
  EXPECT_EQ(BytePosition("aé", 9), 3U);
  EXPECT_EQ(Encode(Decode("aé你😀")), "aé你😀");
}

}  // namespace
}  // namespace glint::text::jinja
