// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <cstdint>
#include <cstring>

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

// Length of a sequence that starts with this byte; 0 for none.
std::size_t LengthFor(unsigned first) {
  if (first < 0x80) return 1;
  return first >= 0xC2 && first <= 0xDF   ? 2
         : first >= 0xE0 && first <= 0xEF ? 3
         : first >= 0xF0 && first <= 0xF4 ? 4
                                          : 0;
}

}  // namespace

std::size_t Utf8SequenceLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = LengthFor(first);
  if (length == 0 || !SecondByteFits(text, first)) return 0;
  for (std::size_t at = 2; at < length; ++at) {
    if (!InRange(text, at, 0x80, 0xBF)) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view text) { return Utf8PrefixLength(text) == text.size(); }

std::size_t Utf8PrefixLength(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = ~std::uint64_t{0};
    if (text.size() - at >= sizeof(eight)) std::memcpy(&eight, &text[at], sizeof(eight));
    if ((eight & 0x8080808080808080U) == 0) {
      at += sizeof(eight);
      continue;
    }
    const std::size_t length = Utf8SequenceLength(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

Utf8Damage DamageAtStart(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = LengthFor(first);
  if (length == 0 || (text.size() > 1 && !SecondByteFits(text, first))) return {};
  std::size_t bytes = text.size() > 1 ? 2 : 1;
  while (bytes < length && InRange(text, bytes, 0x80, 0xBF)) ++bytes;
  return {.bytes = bytes, .cut_short = bytes == text.size()};
}

}  // namespace glint
