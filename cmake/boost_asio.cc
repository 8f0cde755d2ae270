// SPDX-License-Identifier: Apache-2.0
// Boost.Asio and Boost.Beast compiled once (BOOST_ASIO_SEPARATE_COMPILATION), not in every file
// that includes them.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
