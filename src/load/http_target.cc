// SPDX-License-Identifier: Apache-2.0
#include "load/http_target.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <charconv>

#include "base/format.h"

namespace glint::load {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

bool IsPort(std::string_view text) {
  int port = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && stop == text.data() + text.size() && port >= 1 && port <= 65535;
}

}  // namespace

Result<HttpTarget> ParseBaseUrl(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return InvalidArgument(format("base-url {}: https is not supported", Quoted(url)));
  }
  const auto wrong = [&] {
    return InvalidArgument(format("base-url is {}, must be http://HOST:PORT", Quoted(url)));
  };
  if (!url.starts_with(kScheme)) return wrong();
  std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  std::string_view host = rest.substr(0, slash);
  std::string_view port = "80";
  const std::size_t colon = host.rfind(':');
  const bool bracketed = host.starts_with('[');
  if (colon != host.npos && (!bracketed || host[colon - 1] == ']')) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (bracketed) {
    if (!host.ends_with(']')) return wrong();
    host = host.substr(1, host.size() - 2);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with("/v1")) path.remove_suffix(3);
  const bool printable =
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (host.empty() || !IsPort(port) || !printable) return wrong();
  return HttpTarget{.host = std::string(host),
                    .port = std::string(port),
                    .path = std::string(path),
                    .api_key = ""};
}

Result<HttpReply> HttpGet(const HttpTarget& target, std::string_view path,
                          std::chrono::milliseconds timeout) {
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  beast::error_code failure;
  const auto endpoints = resolver.resolve(target.host, target.port, failure);
  const std::string where = format("{}:{}", target.host, target.port);
  if (failure) return Unavailable(format("{}: {}", where, failure.message()));
  http::request<http::empty_body> request(http::verb::get, target.path + std::string(path), 11);
  request.set(http::field::host, where);
  if (!target.api_key.empty()) {
    request.set(http::field::authorization, "Bearer " + target.api_key);
  }
  beast::tcp_stream stream(context);
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  // A chain of three steps; the stream's timer bounds them together.
  beast::error_code outcome = asio::error::would_block;
  stream.expires_after(timeout);
  stream.async_connect(endpoints, [&](beast::error_code error, const auto& /*endpoint*/) {
    outcome = error;
    if (error) return;
    http::async_write(stream, request, [&](beast::error_code written, std::size_t /*bytes*/) {
      outcome = written;
      if (written) return;
      http::async_read(stream, buffer, response,
                       [&](beast::error_code read, std::size_t /*bytes*/) { outcome = read; });
    });
  });
  context.run();
  if (outcome) return Unavailable(format("{}: {}", where, outcome.message()));
  return HttpReply{.status = static_cast<int>(response.result_int()),
                   .body = std::move(response.body())};
}

}  // namespace glint::load
