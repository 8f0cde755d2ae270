// SPDX-License-Identifier: Apache-2.0
// Which requests are sent, in which order and when: lengths, shared prefixes, turns, cancellations.
// Their content is load/conversation.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

#include "base/result.h"
#include "load/arrivals.h"
#include "load/trace.h"

namespace glint::load {

struct WorkloadOptions {
  std::int64_t requests = 0;  // at most so many, turns counted; 0: no limit
  double duration_s = 0;      // no conversation starts after it; 0: no limit
  std::int64_t input_tokens = 1024;
  std::int64_t output_tokens = 128;
  double range_ratio = 1;   // lengths are uniform in [ratio x tokens, tokens]; above 0 to 1
  double prefix_share = 0;  // of a first turn's prompt: the prefix that its group shares; 0 to 1
  std::int64_t prefix_groups = 1;
  int turns = 1;            // of a conversation
  double cancel_share = 0;  // of the requests: closed by us half way; 0 to 1
  std::uint64_t seed = 0;
  std::optional<ArrivalOptions> arrivals;  // open loop; nullopt: closed loop
  std::vector<TraceRequest> trace;         // replayed instead of random lengths when not empty
  double trace_speed = 1;                  // 2: twice as fast
};

struct PlannedTurn {
  std::int64_t input_tokens = 0;  // new in this turn
  std::int64_t output_tokens = 0;
  bool cancel = false;
};

struct PlannedConversation {
  std::int64_t index = 0;          // of the conversation
  std::int64_t first_request = 0;  // index of its first request
  std::optional<double> at_s;      // open loop
  std::uint64_t seed = 0;          // of its content
  std::int64_t prefix_tokens = 0;  // of the first turn, equal in the whole group
  std::int64_t prefix_group = 0;
  std::vector<std::int64_t> block_ids;  // of a trace: kTraceBlockTokens tokens each
  std::vector<PlannedTurn> turns;       // not empty
};

// Thread-safe.
class Workload {
 public:
  // kInvalidArgument when an option is out of its range, or nothing would ever end it.
  static Result<std::unique_ptr<Workload>> Create(WorkloadOptions options);

  // The next conversation, or nullopt at the end. `now_s` since the start; in an open loop the
  // duration is compared with the arrival instead.
  std::optional<PlannedConversation> Next(double now_s);

  [[nodiscard]] const WorkloadOptions& options() const { return options_; }
  // Requests in all; 0 when only the duration ends the workload.
  [[nodiscard]] std::int64_t total_requests() const;

 private:
  Workload(WorkloadOptions options, std::optional<Arrivals> arrivals);
  std::int64_t Length(std::int64_t most);

  const WorkloadOptions options_;
  std::mutex mutex_;  // guards what follows
  std::optional<Arrivals> arrivals_;
  std::mt19937_64 random_;
  std::int64_t conversations_ = 0;
  std::int64_t requests_ = 0;
  bool ended_ = false;
};

}  // namespace glint::load
