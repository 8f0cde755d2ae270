// SPDX-License-Identifier: Apache-2.0
// One run of a workload against a server: sends, reads the streams, records what happened and how
// well the client itself kept up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/conversation.h"
#include "load/http_target.h"
#include "load/record.h"
#include "load/workload.h"

namespace glint::load {

struct RunCounts {
  std::int64_t sent = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t events = 0;  // of all streams that carried output
};

struct RunOptions {
  HttpTarget target;
  ApiOptions api;
  int threads = 1;                   // 1 to 256
  std::int64_t max_concurrency = 0;  // closed loop: streams; open loop: a limit, 0 for none
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);  // of one request
  std::chrono::nanoseconds turn_gap{0};                         // between a reply and the next turn
  bool keep_text = false;
  // Request ids are this and the request's index: servers want them unique, so runs differ in it.
  std::string request_prefix = "glint";
  // Called from the caller's thread a few times a second.
  std::function<void(const RunCounts& counts, std::chrono::nanoseconds since_start)> progress;
};

// Whether the client was the limit.
struct ClientLoad {
  int threads = 0;
  double cpu_s = 0;                 // of all threads
  double busiest_thread_share = 0;  // CPU time of the busiest thread over the run's time
  // Sent minus scheduled, of each request: open loop without a limit, or it would count the wait.
  std::vector<double> schedule_lag_s;
  std::vector<double> loop_lag_s;  // lateness of a 10 ms timer in every thread
  std::int64_t connections = 0;    // opened
};

struct RunResult {
  std::vector<RequestRecord> records;  // by index
  double duration_s = 0;               // from the start to the end of the last request
  ClientLoad client;
};

// Blocks until the workload is done and every request has ended. Failed requests are counted in the
// records, not errors. kUnavailable when the host cannot be resolved, kResourceExhausted when the
// process may not open so many sockets, kInvalidArgument for an option out of its range or a CA
// file that cannot be read.
Result<RunResult> RunLoad(const RunOptions& options, Workload& workload,
                          const Vocabulary& vocabulary);

}  // namespace glint::load
