// SPDX-License-Identifier: Apache-2.0
// Stop strings in streamed text, also where one lies across the border of two pushes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glint::text {

// One sequence; thread-compatible. How the text is cut into pushes does not change the result: the
// hit is the stop string that is complete first, the longest of those that end at the same byte.
class StopStrings {
 public:
  explicit StopStrings(std::vector<std::string> stops);  // none of them empty

  struct Output {
    std::string text;
    bool stopped = false;  // a stop string was found; it and what follows are left out
  };

  // The text that can no longer be part of a stop string. Well-formed UTF-8 comes out in
  // well-formed pieces. After a hit: no text, and `stopped`.
  Output Push(std::string_view text);

  // What was held back; empty after a hit.
  std::string Finish();

 private:
  // How much of one stop string the text ends with (Knuth, Morris and Pratt's automaton).
  struct Stop {
    std::string text;
    std::vector<std::size_t> border;  // [i]: longest border of the first i + 1 bytes
    std::size_t matched = 0;
  };
  static void Advance(Stop& stop, char byte);

  std::vector<Stop> stops_;
  std::string held_;  // a start of some stop string
  bool stopped_ = false;
};

}  // namespace glint::text
