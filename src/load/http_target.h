// SPDX-License-Identifier: Apache-2.0
// Where the server is, and a plain GET of it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glint::load {

struct HttpTarget {
  std::string host;  // an IPv6 address without its brackets
  std::string port;
  std::string path;     // before "/v1/...", without a slash at its end; may be empty
  std::string api_key;  // sent as a bearer token when not empty
  std::string ca_file;  // PEM; trusted in place of the system's certificates when not empty
  bool https = false;
  bool insecure = false;  // https without a look at the certificate

  // "HOST:PORT", as the Host header has it.
  [[nodiscard]] std::string authority() const;
  // "http://HOST:PORT", for messages.
  [[nodiscard]] std::string origin() const;
};

// "http://HOST[:PORT][/PATH]" or https; the ports are 80 and 443 when left out. A "/v1" at the end
// is dropped, since paths below have it. kInvalidArgument for anything else.
Result<HttpTarget> ParseBaseUrl(std::string_view url);

struct HttpReply {
  int status = 0;
  std::string body;
};

// Blocks. kUnavailable when no answer comes, with the reason; kInvalidArgument for a CA file that
// cannot be read.
Result<HttpReply> HttpGet(const HttpTarget& target, std::string_view path,
                          std::chrono::milliseconds timeout);

}  // namespace glint::load
