// SPDX-License-Identifier: Apache-2.0
// One thread of the load generator: an event loop, its connections and its share of the requests.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "load/internal/remote.h"
#include "load/internal/stream.h"
#include "load/run.h"

namespace glint::load::internal {

// Shared by all workers; any thread may read.
struct LiveCounts {
  std::atomic<std::int64_t> sent{0};
  std::atomic<std::int64_t> completed{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> cancelled{0};
  std::atomic<std::int64_t> events{0};
};

class Worker {
 public:
  // Borrows all references. `slots`: streams of this worker at a time, 0 for no limit.
  Worker(const RunOptions& options, Workload& workload, const Vocabulary& vocabulary,
         const Remote& remote, LiveCounts& live, int number, std::int64_t slots,
         std::chrono::steady_clock::time_point start);

  // The thread's body: returns when the workload is done and the requests have ended.
  void Run();

  // After Run.
  std::vector<RequestRecord>& records() { return records_; }
  [[nodiscard]] const std::vector<double>& loop_lag_s() const { return loop_lag_s_; }
  [[nodiscard]] double cpu_s() const { return cpu_s_; }
  [[nodiscard]] std::int64_t connections() const { return connections_; }

 private:
  using Nothing = boost::asio::awaitable<void>;
  struct Connection {
    Connection(boost::asio::io_context& context, const Remote& remote) : stream(context, remote) {}
    Stream stream;
    boost::beast::flat_buffer buffer;
    bool used = false;
  };
  struct Session;

  [[nodiscard]] std::chrono::nanoseconds Now() const;
  Nothing OpenLoop();
  Nothing ClosedLoop();
  Nothing Heartbeat();
  Nothing RunOne(std::unique_ptr<Session> session);
  Nothing Converse(Session& session);
  Nothing Send(const std::string& body, const PlannedTurn& turn, RequestRecord& record);
  // True when the request is to be sent again on a fresh connection: the old one was closed by the
  // server while it was idle.
  boost::asio::awaitable<bool> Exchange(Connection& connection, const std::string& body,
                                        const PlannedTurn& turn, RequestRecord& record);
  Nothing ReadBody(Connection& connection, void* parser, const PlannedTurn& turn,
                   RequestRecord& record);
  void Count(RequestRecord record);

  const RunOptions& options_;
  Workload& workload_;
  const Vocabulary& vocabulary_;
  const Remote& remote_;
  LiveCounts& live_;
  const int number_;
  const std::int64_t slots_;
  const std::chrono::steady_clock::time_point start_;

  boost::asio::io_context context_{1};
  boost::asio::steady_timer slot_free_{context_};
  std::vector<std::unique_ptr<Connection>> idle_;
  std::int64_t running_ = 0;      // conversations
  std::int64_t dispatchers_ = 0;  // loops that may still start some
  std::vector<RequestRecord> records_;
  std::vector<double> loop_lag_s_;
  std::int64_t connections_ = 0;
  double cpu_s_ = 0;
};

}  // namespace glint::load::internal
