// SPDX-License-Identifier: Apache-2.0
#include "load/internal/stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>

#include "base/format.h"

namespace glint::load::internal {
namespace {

namespace asio = boost::asio;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

// Tells TLS which name or address the certificate must have, and the server which one is asked for.
bool ExpectHost(SSL* ssl, const std::string& host) {
  boost::system::error_code no_address;
  asio::ip::make_address(host, no_address);
  if (!no_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  // SSL_set_tlsext_host_name is a macro with a cast that warnings refuse.
  std::string name = host;
  return SSL_set1_host(ssl, host.c_str()) == 1 &&
         SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
}

bool IsUnknownIssuer(long verdict) {  // NOLINT(google-runtime-int): OpenSSL's type
  return verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
         verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
         verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT;
}

std::string WhyNoHandshake(SSL* ssl, const std::string& host,
                           const boost::system::error_code& failure) {
  const auto verdict = SSL_get_verify_result(ssl);
  if (failure.category() != asio::error::get_ssl_category()) {
    return format("TLS handshake: {}", failure.message());
  }
  const int reason = ERR_GET_REASON(static_cast<unsigned int>(failure.value()));
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verdict != X509_V_OK) {
    return format("the certificate of {} is refused: {}{}", host,
                  X509_verify_cert_error_string(verdict),
                  IsUnknownIssuer(verdict) ? "; --ca-file names one to trust" : "");
  }
  return format("TLS handshake: {}{}", failure.message(),
                reason == SSL_R_WRONG_VERSION_NUMBER ? "; is it a server of plain http?" : "");
}

}  // namespace

asio::awaitable<std::string> Stream::Open() {
  const auto [failure, endpoint] = co_await tcp_.async_connect(remote_.endpoints, kAwait);
  if (failure) co_return format("cannot connect: {}", failure.message());
  boost::system::error_code ignored;
  tcp_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  if (remote_.tls == nullptr) co_return std::string();
  co_return co_await ShakeHands();
}

asio::awaitable<std::string> Stream::ShakeHands() {
  tls_.emplace(tcp_, *remote_.tls);
  auto& layer = tls_->next_layer();
  SSL* const ssl = layer.native_handle();
  if (!ExpectHost(ssl, remote_.host)) {
    co_return format("TLS handshake: {} is no host name", Quoted(remote_.host));
  }
  const auto [failure] = co_await layer.async_handshake(asio::ssl::stream_base::client, kAwait);
  co_return failure ? WhyNoHandshake(ssl, remote_.host, failure) : std::string();
}

}  // namespace glint::load::internal
