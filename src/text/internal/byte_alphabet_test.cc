// SPDX-License-Identifier: Apache-2.0
#include "text/internal/byte_alphabet.h"

#include <gtest/gtest.h>

namespace glint::text {
namespace {

TEST(ByteAlphabet, SpellsAsGpt2Does) {
  EXPECT_EQ(SpellBytes("a !~"), "aĠ!~");
  EXPECT_EQ(SpellBytes(std::string_view("\0\n\x7F\xA0\xAD\xFF", 6)), "ĀĊġłŃÿ");
  EXPECT_EQ(SpellBytes("é"), "Ã©");
}

TEST(ByteAlphabet, EveryByteComesBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  std::string back = "kept";
  EXPECT_TRUE(AppendSpelledBytes(SpellBytes(bytes), back));
  EXPECT_EQ(back, "kept" + bytes);
}

TEST(ByteAlphabet, RefusesOtherCharactersAndKeepsWhatWasThere) {
  for (const char* spelled : {"a b", "\n", "\u00AD", "\u0144", "你", "\xC4", "\xC4x", "\xFF",
                              "\x80", "\xC0\x80", "\xC1\x81"}) {
    std::string bytes = "kept";
    EXPECT_FALSE(AppendSpelledBytes(spelled, bytes)) << spelled;
    EXPECT_EQ(bytes, "kept");
  }
}

}  // namespace
}  // namespace glint::text
