// SPDX-License-Identifier: Apache-2.0
// What the engine is asked, and what it answers: tokens in, tokens out. Text, JSON and HTTP are the
// server's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace glint::engine {

// As kernels/sample/sample.h means them.
struct SamplingParameters {
  float temperature = 1;   // 0: greedy
  float top_p = 1;         // >= 1: off
  float min_p = 0;         // 0: off
  std::int32_t top_k = 0;  // 0: off
  std::uint64_t seed = 0;  // same seed, prompt and parameters: same tokens
};

struct GenerateRequest {
  RequestId request{};               // not in use by another request
  std::vector<std::int32_t> prompt;  // at least one token, ids below the vocabulary
  SamplingParameters sampling;
  std::int64_t max_new_tokens = 0;       // > 0
  std::vector<std::int32_t> end_tokens;  // any of them ends the answer and is not part of it
  std::int32_t priority = 0;             // lower is sooner
  std::string cache_salt;  // cached prefixes are shared with requests of this salt alone
  // When the client's request came, before it was made tokens: latencies count from here.
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
};

enum class FinishReason : std::uint8_t {
  kStop,       // an end token
  kLength,     // max_new_tokens
  kCancelled,  // Cancel, or the engine is going
  kError,      // GenerateEvent::error says why
};

// Of one clock (steady), one process.
struct RequestTimes {
  using Point = std::chrono::steady_clock::time_point;
  Point arrived;      // GenerateRequest::arrived
  Point scheduled;    // its first rows went into a step
  Point first_token;  // known to the host
  Point finished;
};

// New tokens, and at last the end: exactly one event has `finish`.
struct GenerateEvent {
  std::vector<std::int32_t> tokens;
  std::optional<FinishReason> finish;
  std::int64_t generated_tokens = 0;  // so far, the end token counted
  std::int64_t cached_tokens = 0;     // of the prompt, found in the cache when it first ran
  std::optional<std::int32_t> end_token;
  std::optional<Error> error;
  RequestTimes times;  // what is known so far
};

// Called on the engine's thread, which waits for it: hand over and return.
using GenerateSink = std::function<void(GenerateEvent event)>;

}  // namespace glint::engine
