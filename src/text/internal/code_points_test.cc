// SPDX-License-Identifier: Apache-2.0
#include "text/internal/code_points.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace glint::text {
namespace {

TEST(CodePointSet, JoinsRangesAndLeavesSurrogatesOut) {
  const CodePointSet set({{'c', 'd'}, {'a', 'b'}, {0xD7F0, 0xE010}, {'f', 'e'}});
  ASSERT_EQ(set.ranges().size(), 3U);
  EXPECT_EQ(set.ranges()[0].low, 'a');
  EXPECT_EQ(set.ranges()[0].high, 'd');
  EXPECT_EQ(set.ranges()[1].high, 0xD7FFU);
  EXPECT_EQ(set.ranges()[2].low, 0xE000U);
  EXPECT_TRUE(set.Contains('c'));
  EXPECT_FALSE(set.Contains('e'));
  EXPECT_FALSE(set.Contains(0xD800));
  EXPECT_TRUE(CodePointSet().Complement().Contains(0x10FFFF));
  EXPECT_TRUE(CodePointSet::All().Complement().ranges().empty());
  const CodePointSet rest = set.Minus(CodePointSet({{'b', 'b'}}));
  EXPECT_TRUE(rest.Contains('a'));
  EXPECT_FALSE(rest.Contains('b'));
}

// Every code point of a few ranges is spelled by exactly one of the sequences.
TEST(Utf8Sequences, SpellTheRangeAndNothingElse) {
  const CodePointRange ranges[] = {{0, 0x10FFFF},      {'a', 'z'},          {0x7F, 0x80},
                                   {0x7FE, 0x801},     {0xFFFE, 0x10001},   {0x41, 0x20AC},
                                   {0x1F600, 0x1F64F}, {0x10FFFF, 0x10FFFF}};
  for (const CodePointRange& range : ranges) {
    const CodePointSet set({range});
    std::vector<std::vector<ByteRange>> sequences;
    for (const CodePointRange& part : set.ranges()) {
      const auto more = Utf8Sequences(part);
      sequences.insert(sequences.end(), more.begin(), more.end());
    }
    for (std::uint32_t c = 0; c <= 0x10FFFF; c += c < 0x900 || (c & 0xFFF) > 0xFF0 ? 1 : 7) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      std::string text;
      AppendUtf8(c, text);
      int spelled = 0;
      for (const auto& sequence : sequences) {
        bool fits = sequence.size() == text.size();
        for (std::size_t i = 0; fits && i < text.size(); ++i) {
          const auto byte = static_cast<std::uint8_t>(text[i]);
          fits = sequence[i].low <= byte && byte <= sequence[i].high;
        }
        spelled += fits ? 1 : 0;
      }
      ASSERT_EQ(spelled, set.Contains(c) ? 1 : 0) << c;
    }
  }
}

TEST(TakeCodePoint, ReadsWhatAppendWrote) {
  for (const std::uint32_t c : {0x0U, 0x41U, 0xE9U, 0x4E2DU, 0x1F600U, 0x10FFFFU}) {
    std::string text;
    AppendUtf8(c, text);
    EXPECT_TRUE(IsUtf8(text));
    std::string_view rest = text;
    EXPECT_EQ(TakeCodePoint(rest), c);
    EXPECT_TRUE(rest.empty());
  }
  std::string_view bad = "\xC3";
  EXPECT_EQ(TakeCodePoint(bad), std::nullopt);
}

TEST(SpellJson, HasOneSpellingEach) {
  EXPECT_EQ(SpellJson("a\"\\/\n\x01\xC3\xA9\x7F"), "\"a\\\"\\\\/\\n\\u0001\xC3\xA9\x7F\"");
}

}  // namespace
}  // namespace glint::text
