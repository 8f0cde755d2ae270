// SPDX-License-Identifier: Apache-2.0
// Errors as HTTP replies: the one table from error code to status, and the OpenAI error body.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/internal/http_exchange.h"

namespace glint::server {

unsigned StatusOf(ErrorCode code);

// The body. `param` and `code` may be empty.
std::string ErrorJson(unsigned status, std::string_view message, std::string_view param = "",
                      std::string_view code = "");

// With Retry-After where trying again can help.
Awaitable<void> ReplyError(HttpExchange& exchange, unsigned status, std::string_view message,
                           std::string_view param = "", std::string_view code = "");
Awaitable<void> ReplyError(HttpExchange& exchange, const Error& error);

}  // namespace glint::server
