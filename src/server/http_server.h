// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 connections: read a request, hand it to one handler, write what it answers. Routes and
// their meaning are service.h.
//
// Underneath: Boost.Beast on a few threads; a connection is a coroutine on a strand, so thousands
// of slow streams cost no thread. Limits hold before a byte reaches the handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace glint::server {

class HttpHandler;  // internal/http_exchange.h

struct HttpOptions {
  std::string host = "127.0.0.1";
  std::int64_t port = 8000;  // 0: any free one
  std::int64_t threads = 2;
  std::int64_t max_connections = 4096;
  std::int64_t max_body_bytes = 32'000'000;
  std::int64_t max_header_bytes = 16'384;
  std::chrono::seconds idle_timeout{75};   // between requests of a connection
  std::chrono::seconds read_timeout{60};   // for a request, from its first byte
  std::chrono::seconds write_timeout{60};  // for a client to take one piece of a reply
};

// Thread-compatible, but for port().
class HttpServer {
 public:
  // Listens and starts to answer. `handler` must outlive the server. kInvalidArgument for an option
  // out of range or a host that is no address, kUnavailable when the port cannot be had.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                   HttpHandler& handler);
  // Cuts what is still open.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::int64_t port() const;
  // Requests that are being answered.
  [[nodiscard]] std::int64_t active() const;

  // Takes no new connection, lets running requests finish for up to `patience`; returns when none
  // is left, time is up or `hurry` (called every 20 ms) says so. True when none was left.
  bool Drain(std::chrono::milliseconds patience, const std::function<bool()>& hurry);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace glint::server
