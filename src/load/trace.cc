// SPDX-License-Identifier: Apache-2.0
#include "load/trace.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/format.h"
#include "base/json.h"

namespace glint::load {
namespace {

constexpr std::int64_t kMostTokens = 100'000'000;
constexpr double kMostSeconds = 1e9;

std::optional<std::int64_t> ToInt(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// "2023-11-16 18:15:46.6805900" as seconds since 1970.
std::optional<double> ToSeconds(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd:dd";
  if (text.size() < kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto part = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(ToInt(text.substr(at, size)).value_or(0));
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  if (!day.ok() || part(11, 2) > 23 || part(14, 2) > 59 || part(17, 2) > 60) return std::nullopt;
  double fraction = 0;
  std::string_view rest = text.substr(kShape.size());
  if (!rest.empty()) {
    const bool zone = rest.ends_with("+00:00");  // some copies of the files have it
    if (zone) rest.remove_suffix(6);
    if (!rest.empty() && (rest[0] != '.' || rest.size() < 2)) return std::nullopt;
    double scale = 0.1;
    for (const char c : rest.substr(std::min<std::size_t>(1, rest.size()))) {
      if (c < '0' || c > '9') return std::nullopt;
      fraction += scale * (c - '0');
      scale /= 10;
    }
  }
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + part(11, 2) * 3600 + part(14, 2) * 60 + part(17, 2) +
         fraction;
}

std::optional<TraceRequest> ParseAzureLine(std::string_view line) {
  const std::size_t first = line.find(',');
  const std::size_t second = line.find(',', first == line.npos ? first : first + 1);
  if (second == line.npos) return std::nullopt;
  const auto at = ToSeconds(line.substr(0, first));
  const auto input = ToInt(line.substr(first + 1, second - first - 1));
  const auto output = ToInt(line.substr(second + 1));
  if (!at || !input || !output) return std::nullopt;
  return TraceRequest{
      .at_s = *at, .input_tokens = *input, .output_tokens = *output, .block_ids = {}};
}

std::optional<TraceRequest> ParseMooncakeLine(std::string_view line, std::string_view where) {
  const auto json = ParseJson(line, where, {.depth = 4, .values = 1'000'000});
  if (!json.ok()) return std::nullopt;
  const auto number = [&](const char* key) -> std::optional<double> {
    const Json* found = json.value().Find(key);
    return found == nullptr ? std::nullopt : found->AsDouble();
  };
  const auto whole = [&](const char* key) -> std::optional<std::int64_t> {
    const Json* found = json.value().Find(key);
    return found == nullptr ? std::nullopt : found->AsInt();
  };
  const auto at_ms = number("timestamp");
  const auto input = whole("input_length");
  const auto output = whole("output_length");
  if (!at_ms || !input || !output) return std::nullopt;
  TraceRequest request{
      .at_s = *at_ms / 1000, .input_tokens = *input, .output_tokens = *output, .block_ids = {}};
  if (const Json* ids = json.value().Find("hash_ids")) {
    if (ids->array() == nullptr) return std::nullopt;
    request.block_ids.reserve(ids->array()->size());
    for (const Json& id : *ids->array()) {
      const auto value = id.AsInt();
      if (!value) return std::nullopt;
      request.block_ids.push_back(*value);
    }
  }
  return request;
}

Status CheckRequest(TraceRequest& request, double last_at_s, std::string_view where) {
  if (request.input_tokens < 1 || request.input_tokens > kMostTokens) {
    return InvalidArgument(format("{}: the prompt has {} tokens, must be 1 to {}", where,
                                  request.input_tokens, kMostTokens));
  }
  if (request.output_tokens < 0 || request.output_tokens > kMostTokens) {
    return InvalidArgument(format("{}: the answer has {} tokens, must be 0 to {}", where,
                                  request.output_tokens, kMostTokens));
  }
  request.output_tokens = std::max<std::int64_t>(1, request.output_tokens);
  if (!std::isfinite(request.at_s) || request.at_s < last_at_s ||
      request.at_s - last_at_s > kMostSeconds) {
    return InvalidArgument(format("{}: its time lies before the line above it", where));
  }
  const std::int64_t blocks = (request.input_tokens + kTraceBlockTokens - 1) / kTraceBlockTokens;
  if (!request.block_ids.empty() && static_cast<std::int64_t>(request.block_ids.size()) != blocks) {
    return InvalidArgument(format("{}: {} hash_ids for {} prompt tokens, must be {}", where,
                                  request.block_ids.size(), request.input_tokens, blocks));
  }
  return Ok();
}

}  // namespace

Result<std::vector<TraceRequest>> ParseTrace(std::string_view text, std::string_view file) {
  const std::size_t size = text.size();
  const bool mooncake = text.starts_with('{');
  const bool line_end = text.ends_with('\n');
  std::vector<TraceRequest> requests;
  double first_at_s = 0;
  double last_at_s = -kMostSeconds;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool header = number == 1 && !mooncake && line.starts_with("TIMESTAMP");
    if (header || line.empty()) continue;
    const std::string where = format("{}:{}", file, number);
    // A JSON object shows by itself whether it is whole; the last number of a CSV line does not.
    const bool cut = text.empty() && !line_end;
    auto request = mooncake ? ParseMooncakeLine(line, where) : ParseAzureLine(line);
    if (cut && (!request || !mooncake)) {
      return DataLoss(format("{}: the last line has no line end: the file was cut", where));
    }
    if (!request) {
      return InvalidArgument(format("{}: {} is no {}", where, Quoted(line),
                                    mooncake ? "object with timestamp, input_length, output_length"
                                             : "line of TIMESTAMP,ContextTokens,GeneratedTokens"));
    }
    GLINT_TRY(CheckRequest(*request, requests.empty() ? request->at_s : last_at_s, where));
    if (requests.empty()) first_at_s = request->at_s;
    last_at_s = request->at_s;
    request->at_s -= first_at_s;
    requests.push_back(std::move(*request));
  }
  if (requests.empty()) {
    return DataLoss(format("{}: {} bytes without a request", file, size));
  }
  return requests;
}

Result<std::vector<TraceRequest>> ReadTrace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(format("{}: cannot be opened", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return DataLoss(format("{}: cannot be read", path));
  return ParseTrace(text, path);
}

}  // namespace glint::load
