// SPDX-License-Identifier: Apache-2.0
// From the engine's thread to a coroutine: the events of one request.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/generate.h"

namespace glint::server {

// Push is thread-safe; the others are for the coroutine's strand. Shared, since the engine may push
// after the coroutine has gone.
class EventInbox : public std::enable_shared_from_this<EventInbox> {
 public:
  explicit EventInbox(const boost::asio::any_io_executor& executor);

  void Push(engine::GenerateEvent event);
  // Ends a wait: the client has gone.
  void Wake();
  // Waits for an event or Wake; returns all that have come, none after Wake.
  boost::asio::awaitable<std::vector<engine::GenerateEvent>> Take();
  // From now on what is pushed is dropped, and the executor is not touched.
  void Close();

 private:
  void EndWait();

  std::mutex mutex_;
  bool closed_ = false;
  std::vector<engine::GenerateEvent> events_;
  bool woken_ = false;
  // Never expires: a wait that others can end. Gone after Close, for the engine may hold the inbox
  // longer than the executor lives.
  std::optional<boost::asio::steady_timer> timer_;
};

}  // namespace glint::server
