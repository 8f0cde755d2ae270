// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"

#include <array>
#include <cmath>

#include "base/utf8.h"

namespace glint {
namespace {

std::string Scaled(double value, const std::array<const char*, 5>& units) {
  std::size_t unit = 0;
  while (std::abs(value) >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", value, units[0]);
  const int decimals = std::abs(value) >= 100 ? 1 : std::abs(value) >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}{}", value, decimals, units[unit]);
}

}  // namespace

std::string WithThousands(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string HumanBytes(double bytes) { return Scaled(bytes, {" B", " kB", " MB", " GB", " TB"}); }

std::string HumanCount(double count) { return Scaled(count, {"", " k", " M", " B", " T"}); }

std::string Quoted(std::string_view text, std::size_t most) {
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size()) {
    if (out.size() > most) return out + "\"...";
    const std::size_t length = Utf8SequenceLength(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
      ++at;
      continue;
    }
    out += text.substr(at, length);
    at += length;
  }
  return out + "\"";
}

}  // namespace glint
