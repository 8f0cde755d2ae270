// SPDX-License-Identifier: Apache-2.0
#include "api/sse.h"

#include <utility>

#include "base/format.h"

namespace glint::api {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void AppendDataLines(std::string_view data, std::string& out) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = data.find_first_of("\r\n", begin);
    out += "data: ";
    out += data.substr(begin, end - begin);
    out += '\n';
    if (end == std::string_view::npos) break;
    begin = end + 1;
    if (data[end] == '\r' && begin < data.size() && data[begin] == '\n') ++begin;
  }
  out += '\n';
}

}  // namespace

std::string WriteSse(std::string_view data) {
  std::string out;
  out.reserve(data.size() + 8);
  AppendDataLines(data, out);
  return out;
}

std::string WriteSse(std::string_view event, std::string_view data) {
  std::string out = "event: ";
  out += event;
  out += '\n';
  AppendDataLines(data, out);
  return out;
}

void SseReader::TakeLine(std::vector<SseEvent>& events) {
  std::string_view line = line_;
  if (at_start_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  at_start_ = false;
  if (line.empty()) {
    if (has_data_) {
      events.push_back({event_.empty() ? "message" : event_, std::exchange(data_, {})});
    }
    event_.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (field == "event") {
    event_ = value;
  }
}

Result<std::vector<SseEvent>> SseReader::Push(std::string_view bytes) {
  std::vector<SseEvent> events;
  for (const char byte : bytes) {
    // "\r\n" is one line break, also when it comes in two pieces.
    if (byte == '\n' && after_carriage_return_) {
      after_carriage_return_ = false;
      continue;
    }
    after_carriage_return_ = byte == '\r';
    if (byte == '\r' || byte == '\n') {
      TakeLine(events);
      line_.clear();
      continue;
    }
    line_ += byte;
    if (line_.size() + data_.size() > kMaxEventBytes) {
      return DataLoss(format("an event stream's event is longer than {} bytes", kMaxEventBytes));
    }
  }
  return events;
}

}  // namespace glint::api
