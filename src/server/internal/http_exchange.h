// SPDX-License-Identifier: Apache-2.0
// One request and the reply to it, as a coroutine on the connection's strand.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http_server.h"

namespace glint::server {

template <typename T>
using Awaitable = boost::asio::awaitable<T>;
using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HeaderFields = std::vector<std::pair<std::string, std::string>>;

// All members are called on the connection's strand. Exactly one reply is given: Reply, or
// BeginStream and then pieces and EndStream.
class HttpExchange {
 public:
  HttpExchange(boost::beast::tcp_stream& stream, HttpRequest request, const HttpOptions& options);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  // When the request had been read.
  [[nodiscard]] std::chrono::steady_clock::time_point arrived() const { return arrived_; }
  [[nodiscard]] std::string_view path() const;  // without the query
  [[nodiscard]] boost::asio::any_io_executor executor() { return stream_.get_executor(); }

  // Before the reply: it is the connection's last one.
  void CloseAfterwards() { keep_alive_ = false; }

  // From now on `callback` is called once when the client is seen to have gone.
  void WatchForClose(std::function<void()> callback);
  // The callback is not called any more.
  void StopWatching() { watch_->callback = nullptr; }
  [[nodiscard]] bool gone() const { return watch_->gone; }

  Awaitable<void> Reply(unsigned status, std::string body, std::string content_type,
                        HeaderFields headers = {});

  // Status 200 and the header of a body of unknown length.
  Awaitable<void> BeginStream(std::string content_type);
  // Does nothing once the client has gone.
  Awaitable<void> Write(std::string bytes);
  Awaitable<void> EndStream();

  [[nodiscard]] unsigned status() const { return status_; }  // 0: no reply yet
  [[nodiscard]] std::int64_t reply_bytes() const { return reply_bytes_; }
  [[nodiscard]] bool keep_alive() const { return keep_alive_ && !gone(); }

 private:
  struct Watch {
    bool gone = false;
    std::function<void()> callback;
  };
  Awaitable<void> WriteAll(std::string bytes);
  void SetGone();

  boost::beast::tcp_stream& stream_;
  HttpRequest request_;
  std::chrono::steady_clock::time_point arrived_ = std::chrono::steady_clock::now();
  const HttpOptions& options_;
  std::shared_ptr<Watch> watch_ = std::make_shared<Watch>();
  bool watching_ = false;
  bool chunked_ = false;
  bool keep_alive_ = false;
  unsigned status_ = 0;
  std::int64_t reply_bytes_ = 0;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Answers `exchange`, which outlives the coroutine.
  virtual Awaitable<void> Handle(HttpExchange& exchange) = 0;
  // The body of an error that the connection itself answers (too large, not HTTP).
  virtual std::string ErrorText(unsigned status, std::string_view message) = 0;
};

}  // namespace glint::server
