// SPDX-License-Identifier: Apache-2.0
// Where the server is, and a plain GET of it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glint::load {

struct HttpTarget {
  std::string host;
  std::string port;
  std::string path;     // before "/v1/...", without a slash at its end; may be empty
  std::string api_key;  // sent as a bearer token when not empty
};

// "http://HOST[:PORT][/PATH]"; a "/v1" at the end is dropped, since paths below have it.
// kInvalidArgument for anything else; https is not supported.
Result<HttpTarget> ParseBaseUrl(std::string_view url);

struct HttpReply {
  int status = 0;
  std::string body;
};

// Blocks. kUnavailable when no answer comes, with the reason.
Result<HttpReply> HttpGet(const HttpTarget& target, std::string_view path,
                          std::chrono::milliseconds timeout);

}  // namespace glint::load
