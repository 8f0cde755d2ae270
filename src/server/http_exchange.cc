// SPDX-License-Identifier: Apache-2.0
#include "server/internal/http_exchange.h"

#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

#include "base/check.h"
#include "base/format.h"

namespace glint::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// After a socket became readable: true when that was the end of the stream.
bool IsAtEnd(int socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

HttpExchange::HttpExchange(boost::beast::tcp_stream& stream, HttpRequest request,
                           const HttpOptions& options)
    : stream_(stream),
      request_(std::move(request)),
      options_(options),
      keep_alive_(request_.keep_alive()) {}

HttpExchange::~HttpExchange() {
  watch_->callback = nullptr;
  boost::system::error_code ignored;
  if (watching_ && !watch_->gone) stream_.socket().cancel(ignored);
}

std::string_view HttpExchange::path() const {
  const std::string_view target(request_.target().data(), request_.target().size());
  return target.substr(0, target.find('?'));
}

void HttpExchange::SetGone() {
  watch_->gone = true;
  if (auto callback = std::exchange(watch_->callback, nullptr)) callback();
}

void HttpExchange::WatchForClose(std::function<void()> callback) {
  watch_->callback = std::move(callback);
  watching_ = true;
  const int socket = stream_.socket().native_handle();
  stream_.socket().async_wait(
      asio::ip::tcp::socket::wait_read,
      [watch = watch_, socket](const boost::system::error_code& error) {
        // A client that sends its next request early is not gone; it is not watched any more.
        if (error == asio::error::operation_aborted || (!error && !IsAtEnd(socket))) return;
        watch->gone = true;
        if (auto call = std::exchange(watch->callback, nullptr)) call();
      });
}

Awaitable<void> HttpExchange::WriteAll(std::string bytes) {
  if (gone()) co_return;
  stream_.expires_after(options_.write_timeout);
  const auto [error, written] = co_await asio::async_write(stream_, asio::buffer(bytes), kTuple);
  stream_.expires_never();
  reply_bytes_ += static_cast<std::int64_t>(written);
  if (error) SetGone();
}

Awaitable<void> HttpExchange::Reply(unsigned status, std::string body, std::string content_type,
                                    HeaderFields headers) {
  GLINT_CHECK(status_ == 0, "one reply");
  status_ = status;
  http::response<http::string_body> response(http::int_to_status(status), request_.version());
  response.set(http::field::content_type, content_type);
  for (const auto& [name, value] : headers) response.set(name, value);
  response.keep_alive(keep_alive_);
  response.body() = std::move(body);
  response.prepare_payload();
  if (request_.method() == http::verb::head) response.body().clear();
  if (gone()) co_return;
  stream_.expires_after(options_.write_timeout);
  const auto [error, written] = co_await http::async_write(stream_, response, kTuple);
  stream_.expires_never();
  reply_bytes_ += static_cast<std::int64_t>(written);
  if (error) SetGone();
}

Awaitable<void> HttpExchange::BeginStream(std::string content_type) {
  GLINT_CHECK(status_ == 0, "one reply");
  status_ = 200;
  // HTTP/1.0 has no chunks: there the end of the connection ends the body.
  chunked_ = request_.version() >= 11;
  if (!chunked_) keep_alive_ = false;
  std::string head = format(
      "HTTP/{}.{} 200 OK\r\nContent-Type: {}\r\nCache-Control: no-store\r\nX-Accel-Buffering: "
      "no\r\n",
      request_.version() / 10, request_.version() % 10, content_type);
  if (chunked_) head += "Transfer-Encoding: chunked\r\n";
  if (!keep_alive_) head += "Connection: close\r\n";
  head += "\r\n";
  co_await WriteAll(std::move(head));
}

Awaitable<void> HttpExchange::Write(std::string bytes) {
  if (bytes.empty()) co_return;  // an empty chunk would end the body
  if (chunked_) bytes = format("{:x}\r\n{}\r\n", bytes.size(), bytes);
  co_await WriteAll(std::move(bytes));
}

Awaitable<void> HttpExchange::EndStream() {
  if (chunked_) co_await WriteAll("0\r\n\r\n");
}

}  // namespace glint::server
