// SPDX-License-Identifier: Apache-2.0
// Server-sent events, both ways: the server writes them, the load generator reads them.
//
// Source: WHATWG HTML, section 9.2.5 and 9.2.6 (event streams). `id` and `retry` fields are
// skipped: no LLM API uses them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::api {

// "data: DATA\n\n"; a line break inside `data` becomes another data line.
std::string WriteSse(std::string_view data);
// With an "event: NAME" line before it; `event` has no line break.
std::string WriteSse(std::string_view event, std::string_view data);

struct SseEvent {
  std::string event;  // "message" when the stream names none
  std::string data;   // data lines joined by '\n'
};

// Takes a stream in pieces of any size and returns the events that are complete.
class SseReader {
 public:
  static constexpr std::size_t kMaxEventBytes = 64U << 20;

  // Fails with kDataLoss when one event is longer than kMaxEventBytes; nothing more may be read
  // then.
  Result<std::vector<SseEvent>> Push(std::string_view bytes);

  // True when bytes of an event without its end are held: the stream was cut.
  [[nodiscard]] bool HasPartialEvent() const { return !line_.empty() || has_data_; }

 private:
  void TakeLine(std::vector<SseEvent>& events);

  std::string line_;
  bool after_carriage_return_ = false;
  bool at_start_ = true;
  bool has_data_ = false;
  std::string event_;
  std::string data_;
};

}  // namespace glint::api
