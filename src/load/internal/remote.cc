// SPDX-License-Identifier: Apache-2.0
#include "load/internal/remote.h"

#include <openssl/ssl.h>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/format.h"

namespace glint::load::internal {
namespace {

namespace ssl = boost::asio::ssl;

Status Trust(ssl::context& tls, const HttpTarget& target) {
  if (target.insecure) {
    tls.set_verify_mode(ssl::verify_none);
    return Ok();
  }
  tls.set_verify_mode(ssl::verify_peer);
  if (target.ca_file.empty()) {
    tls.set_default_verify_paths();
    return Ok();
  }
  // OpenSSL has no text for the system's errors.
  if (!std::ifstream(target.ca_file)) {
    return InvalidArgument(
        format("ca-file {}: {}", target.ca_file, std::generic_category().message(errno)));
  }
  boost::system::error_code failure;
  tls.load_verify_file(target.ca_file, failure);
  if (failure) return InvalidArgument(format("ca-file {}: {}", target.ca_file, failure.message()));
  return Ok();
}

// The library throws when it is out of memory or its own configuration is broken.
Result<std::unique_ptr<ssl::context>> MakeTls(const HttpTarget& target) {
  try {
    auto tls = std::make_unique<ssl::context>(ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
    GLINT_TRY(Trust(*tls, target));
    return tls;
  } catch (const boost::system::system_error& error) {
    return Unavailable(format("TLS cannot be set up: {}", error.what()));
  }
}

}  // namespace

Result<Remote> FindRemote(const HttpTarget& target) {
  Remote remote{.host = target.host, .endpoints = {}, .tls = nullptr};
  if (target.https) {
    GLINT_ASSIGN(remote.tls, MakeTls(target));
  }
  boost::asio::io_context context;
  boost::system::error_code failure;
  remote.endpoints =
      boost::asio::ip::tcp::resolver(context).resolve(target.host, target.port, failure);
  if (failure) return Unavailable(format("{}: {}", target.origin(), failure.message()));
  return remote;
}

}  // namespace glint::load::internal
