// SPDX-License-Identifier: Apache-2.0
#include "load/http_target.h"

#include <gtest/gtest.h>

namespace glint::load {
namespace {

TEST(HttpTarget, TakesHostPortAndPath) {
  const HttpTarget full = ParseBaseUrl("http://10.0.0.1:8000/glm/v1/").value();
  EXPECT_EQ(full.host, "10.0.0.1");
  EXPECT_EQ(full.port, "8000");
  EXPECT_EQ(full.path, "/glm");
  EXPECT_EQ(ParseBaseUrl("http://localhost").value().port, "80");
  EXPECT_EQ(ParseBaseUrl("http://[::1]:81").value().host, "::1");
  EXPECT_EQ(ParseBaseUrl("http://[::1]").value().port, "80");
}

TEST(HttpTarget, RefusesWhatItCannotReach) {
  for (const char* url :
       {"", "localhost:8000", "https://host", "ftp://host", "http://", "http://:80", "http://h:0",
        "http://h:99999", "http://h:x", "http://[::1", "http://h:80/a b", "http://h\r\nX: y"}) {
    EXPECT_FALSE(ParseBaseUrl(url).ok()) << url;
  }
}

}  // namespace
}  // namespace glint::load
