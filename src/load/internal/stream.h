// SPDX-License-Identifier: Apache-2.0
// The bytes of one connection: TCP, or TLS over TCP. Beast reads and writes HTTP on it as on its
// own streams (it has the members of Beast's AsyncStream); on TCP a call costs one branch more.
//
// It is closed by its destructor, without TLS's closing message: HTTP says itself where a reply
// ends.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "load/internal/remote.h"

namespace glint::load::internal {

// Not movable: TLS points at the TCP stream. One thread, that of `context`.
class Stream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  // Borrows both.
  Stream(boost::asio::io_context& context, const Remote& remote) : remote_(remote), tcp_(context) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return tcp_.get_executor(); }

  // What is not done by then ends with the error `timeout`, Open included.
  void expires_at(std::chrono::steady_clock::time_point time) { tcp_.expires_at(time); }

  // Connects, shakes hands and checks the certificate. Returns why that failed, empty when open.
  boost::asio::awaitable<std::string> Open();

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Handler>(handler));
    return tcp_.async_read_some(buffers, std::forward<Handler>(handler));
  }

  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Handler>(handler));
    return tcp_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  boost::asio::awaitable<std::string> ShakeHands();

  const Remote& remote_;
  boost::beast::tcp_stream tcp_;
  // The flat stream joins a request's head and body: TLS would send a record for each.
  std::optional<boost::beast::flat_stream<boost::asio::ssl::stream<boost::beast::tcp_stream&>>>
      tls_;
};

}  // namespace glint::load::internal
