// SPDX-License-Identifier: Apache-2.0
#include "text/internal/byte_alphabet.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace glint::text {
namespace {

// The alphabet ends at U+0143, so every character takes one or two bytes of UTF-8.
constexpr std::size_t kCodePoints = 0x144;

constexpr bool StandsForItself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

struct Alphabet {
  std::array<std::uint16_t, 256> code_point_of = {};
  std::array<std::int16_t, kCodePoints> byte_of = {};  // -1: not in the alphabet
};

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet;
  for (std::int16_t& byte : alphabet.byte_of) byte = -1;
  std::uint16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto code_point = StandsForItself(byte) ? static_cast<std::uint16_t>(byte) : next++;
    alphabet.code_point_of[byte] = code_point;
    alphabet.byte_of[code_point] = static_cast<std::int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

bool AppendSpelledBytes(std::string_view spelled, std::string& bytes) {
  const std::size_t before = bytes.size();
  for (std::size_t at = 0; at < spelled.size(); ++at) {
    std::size_t code_point = static_cast<unsigned char>(spelled[at]);
    if (code_point >= 0x80) {
      const bool two_bytes = code_point >= 0xC2 && code_point <= 0xC5 && at + 1 < spelled.size();
      const unsigned next = two_bytes ? static_cast<unsigned char>(spelled[++at]) : 0;
      // 0 is no byte of the alphabet, so anything that is no two-byte sequence ends there.
      code_point = (next & 0xC0U) == 0x80 ? ((code_point & 0x1FU) << 6U) | (next & 0x3FU) : 0;
    }
    const int byte = code_point < kCodePoints ? kAlphabet.byte_of[code_point] : -1;
    if (byte < 0) {
      bytes.resize(before);
      return false;
    }
    bytes += static_cast<char>(byte);
  }
  return true;
}

std::string SpellBytes(std::string_view bytes) {
  std::string spelled;
  spelled.reserve(bytes.size());
  for (const char c : bytes) {
    const unsigned code_point = kAlphabet.code_point_of[static_cast<unsigned char>(c)];
    if (code_point < 0x80) {
      spelled += static_cast<char>(code_point);
    } else {
      spelled += static_cast<char>(0xC0U | (code_point >> 6U));
      spelled += static_cast<char>(0x80U | (code_point & 0x3FU));
    }
  }
  return spelled;
}

}  // namespace glint::text
