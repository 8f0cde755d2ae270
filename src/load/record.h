// SPDX-License-Identifier: Apache-2.0
// What one request did, as the client saw it. Times count from the start of the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glint::load {

enum class Outcome : std::uint8_t {
  kCompleted,
  kFailed,     // `error` says why
  kCancelled,  // by us, on purpose
};

struct RequestRecord {
  using Time = std::chrono::nanoseconds;

  std::int64_t index = 0;         // of the request in the workload
  std::int64_t conversation = 0;  // requests of one conversation share it
  int turn = 0;
  int worker = 0;
  bool warmup = false;
  std::optional<Time> scheduled;  // open loop: when it was to be sent
  Time sent{0};
  Time ended{0};
  // Arrival of each event of the stream that carried output; the first is the first token, the last
  // the last. An event may carry several tokens.
  std::vector<Time> events;
  std::int64_t asked_input_tokens = 0;
  std::int64_t asked_output_tokens = 0;
  // From the server's usage; output falls back to events.size() when it sent none.
  bool has_usage = false;
  std::int64_t input_tokens = 0;
  std::optional<std::int64_t> cached_tokens;  // of the input; nullopt: the server does not say
  std::int64_t output_tokens = 0;
  Outcome outcome = Outcome::kFailed;
  int http_status = 0;  // 0: no answer came
  std::string error;
  std::string text;  // what was generated

  [[nodiscard]] double ttft_s() const {
    return events.empty() ? 0 : Seconds(events.front() - sent);
  }
  [[nodiscard]] double latency_s() const {
    return events.empty() ? Seconds(ended - sent) : Seconds(events.back() - sent);
  }
  // Time per output token after the first; nullopt with one token or none.
  [[nodiscard]] std::optional<double> tpot_s() const {
    if (output_tokens <= 1 || events.size() < 2) return std::nullopt;
    return (latency_s() - ttft_s()) / static_cast<double>(output_tokens - 1);
  }
  [[nodiscard]] static double Seconds(Time time) {
    return std::chrono::duration<double>(time).count();
  }
};

// The X-Request-Id of a request.
inline std::string RequestId(const std::string& prefix, std::int64_t index) {
  return prefix + "-" + std::to_string(index);
}

}  // namespace glint::load
