// SPDX-License-Identifier: Apache-2.0
// Where connections go: the server's addresses and, for https, what its certificate is checked
// against. Found once before a run, so that neither costs a request time.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

#include "base/result.h"
#include "load/http_target.h"

namespace glint::load::internal {

struct Remote {
  std::string host;  // the name that the certificate must have
  boost::asio::ip::tcp::resolver::results_type endpoints;
  std::unique_ptr<boost::asio::ssl::context> tls;  // null for http; any thread may open with it
};

// Blocks. kUnavailable when the host cannot be resolved, kInvalidArgument with the name of a CA
// file that cannot be read or holds no certificate.
Result<Remote> FindRemote(const HttpTarget& target);

}  // namespace glint::load::internal
