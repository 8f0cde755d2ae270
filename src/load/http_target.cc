// SPDX-License-Identifier: Apache-2.0
#include "load/http_target.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "load/internal/remote.h"
#include "load/internal/stream.h"

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

// Leaves the reason in `failure` when no answer comes.
asio::awaitable<void> Ask(internal::Stream& stream, const http::request<http::empty_body>& request,
                          http::response<http::string_body>& response, std::string& failure) {
  constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
  failure = co_await stream.Open();
  if (!failure.empty()) co_return;
  const auto [write_failure, written] = co_await http::async_write(stream, request, kAwait);
  if (write_failure) {
    failure = format("cannot send: {}", write_failure.message());
    co_return;
  }
  beast::flat_buffer buffer;
  const auto [read_failure, read] = co_await http::async_read(stream, buffer, response, kAwait);
  if (read_failure) failure = format("no answer: {}", read_failure.message());
}

}  // namespace

Result<HttpTarget> ParseBaseUrl(std::string_view url) {
  const auto wrong = [&] {
    return InvalidArgument(
        format("base-url is {}, must be http://HOST:PORT or https://HOST:PORT", Quoted(url)));
  };
  const bool https = url.starts_with("https://");
  if (!https && !url.starts_with("http://")) return wrong();
  std::string_view rest = url.substr(url.find("//") + 2);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  std::string_view host = rest.substr(0, slash);
  std::string_view port = https ? "443" : "80";
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
                    .api_key = "",
                    .ca_file = "",
                    .https = https};
}

std::string HttpTarget::authority() const {
  return host.find(':') == host.npos ? format("{}:{}", host, port) : format("[{}]:{}", host, port);
}

std::string HttpTarget::origin() const {
  return format("{}://{}", https ? "https" : "http", authority());
}

Result<HttpReply> HttpGet(const HttpTarget& target, std::string_view path,
                          std::chrono::milliseconds timeout) {
  GLINT_ASSIGN(const internal::Remote remote, internal::FindRemote(target));
  http::request<http::empty_body> request(http::verb::get, target.path + std::string(path), 11);
  request.set(http::field::host, target.authority());
  if (!target.api_key.empty()) {
    request.set(http::field::authorization, "Bearer " + target.api_key);
  }
  asio::io_context context;
  internal::Stream stream(context, remote);
  // One timer bounds the steps together.
  stream.expires_at(std::chrono::steady_clock::now() + timeout);
  http::response<http::string_body> response;
  std::string failure;
  asio::co_spawn(context, Ask(stream, request, response, failure), asio::detached);
  context.run();
  if (!failure.empty()) return Unavailable(format("{}: {}", target.origin(), failure));
  return HttpReply{.status = static_cast<int>(response.result_int()),
                   .body = std::move(response.body())};
}

}  // namespace glint::load
