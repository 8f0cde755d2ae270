// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace glint {
namespace {

bool InRange(std::string_view text, std::size_t at, unsigned low, unsigned high) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= low && byte <= high;
}

// The allowed range of the second byte depends on the first (RFC 3629, section 4).
bool SecondByteFits(std::string_view text, unsigned first) {
  switch (first) {
    case 0xE0:
      return InRange(text, 1, 0xA0, 0xBF);
    case 0xED:
      return InRange(text, 1, 0x80, 0x9F);
    case 0xF0:
      return InRange(text, 1, 0x90, 0xBF);
    case 0xF4:
      return InRange(text, 1, 0x80, 0x8F);
    default:
      return InRange(text, 1, 0x80, 0xBF);
  }
}

}  // namespace

std::size_t Utf8SequenceLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || !SecondByteFits(text, first)) return 0;
  for (std::size_t at = 2; at < length; ++at) {
    if (!InRange(text, at, 0x80, 0xBF)) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace glint
