// SPDX-License-Identifier: Apache-2.0
#include "server/internal/error_reply.h"

#include <utility>

#include "api/replies.h"

namespace glint::server {

unsigned StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kDataLoss:
      return 500;
    case ErrorCode::kResourceExhausted:
      return 429;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCancelled:
      return 499;  // nginx's "client closed request": nobody reads it
  }
  return 500;
}

namespace {

const char* ErrorType(unsigned status) {
  if (status == 404) return "not_found_error";
  if (status == 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

}  // namespace

std::string ErrorJson(unsigned status, std::string_view message, std::string_view param,
                      std::string_view code) {
  return api::ErrorBody(message, ErrorType(status), param, code).Write();
}

Awaitable<void> ReplyError(HttpExchange& exchange, unsigned status, std::string_view message,
                           std::string_view param, std::string_view code) {
  HeaderFields headers;
  if (status == 429 || status == 503) headers.emplace_back("Retry-After", "1");
  co_await exchange.Reply(status, ErrorJson(status, message, param, code), "application/json",
                          std::move(headers));
}

Awaitable<void> ReplyError(HttpExchange& exchange, const Error& error) {
  co_await ReplyError(exchange, StatusOf(error.code), error.message);
}

}  // namespace glint::server
