// SPDX-License-Identifier: Apache-2.0
#include "text/stop_strings.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace glint::text {

StopStrings::StopStrings(std::vector<std::string> stops) {
  stops_.reserve(stops.size());
  for (std::string& text : stops) {
    GLINT_CHECK(!text.empty(), "a stop string has text");
    Stop stop{.text = std::move(text), .border = {0}};
    stop.border.reserve(stop.text.size());
    for (std::size_t i = 1; i < stop.text.size(); ++i) {
      Advance(stop, stop.text[i]);
      stop.border.push_back(stop.matched);
    }
    stop.matched = 0;
    stops_.push_back(std::move(stop));
  }
}

// Never called on a complete match.
void StopStrings::Advance(Stop& stop, char byte) {
  while (stop.matched > 0 && stop.text[stop.matched] != byte) {
    stop.matched = stop.border[stop.matched - 1];
  }
  if (stop.text[stop.matched] == byte) ++stop.matched;
}

StopStrings::Output StopStrings::Push(std::string_view text) {
  if (stopped_) return {.stopped = true};
  if (text.empty()) return {};
  std::string out = std::exchange(held_, {});
  std::size_t begun = 0;     // bytes at the end of `out` that start a stop string
  std::size_t complete = 0;  // bytes at the end of `out` that are one
  for (const char byte : text) {
    out += byte;
    begun = 0;
    for (Stop& stop : stops_) {
      Advance(stop, byte);
      begun = std::max(begun, stop.matched);
      if (stop.matched == stop.text.size()) complete = std::max(complete, stop.matched);
    }
    if (complete > 0) break;
  }
  stopped_ = complete > 0;
  if (!stopped_) held_ = out.substr(out.size() - begun);
  out.resize(out.size() - (stopped_ ? complete : begun));
  return {.text = std::move(out), .stopped = stopped_};
}

std::string StopStrings::Finish() { return std::exchange(held_, {}); }

}  // namespace glint::text
