// SPDX-License-Identifier: Apache-2.0
// Text from values (g++ 12 has no std::format). Only fmt's declarations: its definitions come from
// the library, since compiling them again in every file costs four seconds each. A file that joins
// ranges includes <fmt/format.h> itself.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace glint {

using fmt::format;

// 1234567 -> "1,234,567".
std::string WithThousands(std::int64_t value);

// Bytes for people: "1.507 TB", "96.64 kB", "512 B" (decimal units, four significant digits).
std::string HumanBytes(double bytes);

// A count for people: "753.3 B", "40.30 B", "709.5 M" (B = 10^9).
std::string HumanCount(double count);

// Text from outside, made safe for one line of a terminal or a log: control characters, DEL and
// invalid UTF-8 become \xNN, and what is longer than `most` bytes is cut with "...".
std::string Quoted(std::string_view text, std::size_t most = 80);

}  // namespace glint
