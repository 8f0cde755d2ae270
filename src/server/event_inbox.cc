// SPDX-License-Identifier: Apache-2.0
#include "server/internal/event_inbox.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace glint::server {

namespace asio = boost::asio;

EventInbox::EventInbox(const asio::any_io_executor& executor) : timer_(executor) {
  timer_->expires_at(asio::steady_timer::time_point::max());
}

void EventInbox::Push(engine::GenerateEvent event) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  events_.push_back(std::move(event));
  // One wake-up is enough for all events that come before the coroutine has run.
  if (events_.size() > 1) return;
  asio::post(timer_->get_executor(), [self = shared_from_this()] { self->EndWait(); });
}

void EventInbox::EndWait() {
  if (timer_) timer_->cancel();
}

void EventInbox::Wake() {
  woken_ = true;
  EndWait();
}

asio::awaitable<std::vector<engine::GenerateEvent>> EventInbox::Take() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (!events_.empty()) co_return std::exchange(events_, {});
    }
    if (woken_) co_return std::vector<engine::GenerateEvent>();
    (void)co_await timer_->async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

void EventInbox::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  events_.clear();
  timer_.reset();
}

}  // namespace glint::server
