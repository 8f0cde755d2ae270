// SPDX-License-Identifier: Apache-2.0
#include "server/http_server.h"

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/log.h"
#include "base/thread_name.h"
#include "server/internal/http_exchange.h"

namespace glint::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

Error OutOfRange(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  return InvalidArgument(format("{} is {}, must be {} to {}", name, value, least, most));
}

Status CheckOptions(const HttpOptions& options) {
  if (options.port < 0 || options.port > 65535) return OutOfRange("port", options.port, 0, 65535);
  if (options.threads < 1 || options.threads > 256) {
    return OutOfRange("HTTP threads", options.threads, 1, 256);
  }
  if (options.max_connections < 1 || options.max_connections > 1'000'000) {
    return OutOfRange("connections", options.max_connections, 1, 1'000'000);
  }
  if (options.max_body_bytes < 1) {
    return OutOfRange("body bytes", options.max_body_bytes, 1,
                      std::numeric_limits<std::int64_t>::max());
  }
  return Ok();
}

// Status and message for a request that could not be read; nullopt: nobody to answer.
std::optional<std::pair<unsigned, std::string>> ReadFault(const error_code& error,
                                                          const HttpOptions& options) {
  if (error == http::error::end_of_stream || error == beast::error::timeout ||
      error == asio::error::operation_aborted || error == asio::error::connection_reset ||
      error == asio::error::eof) {
    return std::nullopt;
  }
  if (error == http::error::body_limit) {
    return std::pair(413U, format("the body is larger than {} bytes", options.max_body_bytes));
  }
  if (error == http::error::header_limit) {
    return std::pair(431U, format("the header is larger than {} bytes", options.max_header_bytes));
  }
  if (error.category() == make_error_code(http::error::bad_method).category()) {
    return std::pair(400U, "not an HTTP request: " + error.message());
  }
  return std::nullopt;
}

void LogException(const std::exception_ptr& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    LogError(format("HTTP connection: {}", exception.what()));
  }
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const HttpOptions& options, HttpHandler& handler)
      : options_(options),
        handler_(handler),
        context_(static_cast<int>(options.threads)),
        acceptor_(asio::make_strand(context_)) {}
  ~Impl() {
    context_.stop();
    threads_.clear();  // joins
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Listen() {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.host, error);
    if (error) {
      return InvalidArgument(
          format("host is {}, must be an IP address such as 127.0.0.1, 0.0.0.0 or ::",
                 Quoted(options_.host)));
    }
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options_.port));
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Unavailable(
          format("cannot listen on {}:{}: {}", options_.host, options_.port, error.message()));
    }
    port_ = acceptor_.local_endpoint(error).port();
    return Ok();
  }

  void Run() {
    asio::co_spawn(acceptor_.get_executor(), Accept(), LogException);
    for (std::int64_t i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] {
        NameThread("glint-http");
        context_.run();
      });
    }
  }

  void StopAccepting() {
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
      draining_ = true;
    });
  }

  [[nodiscard]] std::int64_t port() const { return port_; }
  [[nodiscard]] std::int64_t active() const { return active_; }

 private:
  // Adds to a count while it lives.
  class Counted {
   public:
    explicit Counted(std::atomic<std::int64_t>& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<std::int64_t>& count_;
  };

  Awaitable<void> Accept() {
    asio::steady_timer pause(acceptor_.get_executor());
    while (acceptor_.is_open()) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::make_strand(context_), kTuple);
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) co_return;
      if (error) {
        // Out of descriptors, most likely: those in use come back.
        LogWarning(format("cannot accept a connection: {}", error.message()));
        pause.expires_after(std::chrono::milliseconds(100));
        (void)co_await pause.async_wait(kTuple);
        continue;
      }
      auto executor = socket.get_executor();
      asio::co_spawn(executor, Serve(beast::tcp_stream(std::move(socket))), LogException);
    }
  }

  Awaitable<void> ReplyFault(beast::tcp_stream& stream, unsigned status, std::string message) {
    HttpRequest empty;
    empty.version(11);
    empty.keep_alive(false);
    HttpExchange exchange(stream, std::move(empty), options_);
    co_await exchange.Reply(status, handler_.ErrorText(status, message), "application/json");
  }

  // Reads one request; nullopt when the connection is at its end.
  Awaitable<std::optional<HttpRequest>> Read(beast::tcp_stream& stream,
                                             beast::flat_buffer& buffer) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(static_cast<std::uint64_t>(options_.max_body_bytes));
    parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
    stream.expires_after(options_.idle_timeout);
    auto [error, size] = co_await http::async_read_header(stream, buffer, parser, kTuple);
    if (!error && beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      (void)co_await asio::async_write(stream, asio::buffer(kContinue), kTuple);
    }
    if (!error) {
      stream.expires_after(options_.read_timeout);
      std::tie(error, size) = co_await http::async_read(stream, buffer, parser, kTuple);
    }
    stream.expires_never();
    if (!error) co_return parser.release();
    if (auto fault = ReadFault(error, options_)) {
      co_await ReplyFault(stream, fault->first, std::move(fault->second));
    }
    co_return std::nullopt;
  }

  Awaitable<void> Serve(beast::tcp_stream stream) {
    const Counted connection(connections_);
    error_code ignored;
    stream.socket().set_option(tcp::no_delay(true), ignored);
    if (connections_ > options_.max_connections) {
      co_await ReplyFault(stream, 503,
                          format("the server has {} connections", options_.max_connections));
      co_return;
    }
    beast::flat_buffer buffer;
    while (true) {
      std::optional<HttpRequest> request = co_await Read(stream, buffer);
      if (!request) break;
      const Counted active(active_);
      HttpExchange exchange(stream, std::move(*request), options_);
      // Decided before the reply, which tells the client.
      if (draining_) exchange.CloseAfterwards();
      co_await handler_.Handle(exchange);
      if (!exchange.keep_alive()) break;
    }
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  HttpOptions options_;
  HttpHandler& handler_;
  std::atomic<std::int64_t> connections_ = 0;
  std::atomic<std::int64_t> active_ = 0;
  std::atomic<bool> draining_ = false;
  std::int64_t port_ = 0;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  std::vector<std::jthread> threads_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                      HttpHandler& handler) {
  GLINT_TRY(CheckOptions(options));
  auto impl = std::make_unique<Impl>(options, handler);
  GLINT_TRY(impl->Listen());
  impl->Run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::int64_t HttpServer::port() const { return impl_->port(); }
std::int64_t HttpServer::active() const { return impl_->active(); }

bool HttpServer::Drain(std::chrono::milliseconds patience, const std::function<bool()>& hurry) {
  impl_->StopAccepting();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (impl_->active() > 0) {
    if (std::chrono::steady_clock::now() >= until || hurry()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace glint::server
