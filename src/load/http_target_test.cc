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

TEST(HttpTarget, HttpsHasItsOwnPort) {
  const HttpTarget plain = ParseBaseUrl("https://llm.example/glm/v1").value();
  EXPECT_TRUE(plain.https);
  EXPECT_EQ(plain.host, "llm.example");
  EXPECT_EQ(plain.port, "443");
  EXPECT_EQ(plain.path, "/glm");
  EXPECT_EQ(ParseBaseUrl("https://[::1]").value().port, "443");
  EXPECT_EQ(ParseBaseUrl("https://h:8443").value().port, "8443");
  EXPECT_FALSE(ParseBaseUrl("http://h:443").value().https);
}

TEST(HttpTarget, NamesItsOrigin) {
  EXPECT_EQ(ParseBaseUrl("https://h/v1").value().origin(), "https://h:443");
  EXPECT_EQ(ParseBaseUrl("http://[::1]:81").value().origin(), "http://[::1]:81");
  EXPECT_EQ(ParseBaseUrl("http://h").value().authority(), "h:80");
}

TEST(HttpTarget, ACaFileThatCannotBeReadIsNamed) {
  HttpTarget target = ParseBaseUrl("https://127.0.0.1:1").value();
  target.ca_file = "no-such-folder/ca.pem";
  const auto reply = HttpGet(target, "/", std::chrono::seconds(1));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(reply.error().message, "ca-file no-such-folder/ca.pem: No such file or directory");
}

TEST(HttpTarget, RefusesWhatItCannotReach) {
  for (const char* url : {"", "localhost:8000", "https://", "HTTPS:/h", "https://h:0", "ftp://host",
                          "http://", "http://:80", "http://h:0", "http://h:99999", "http://h:x",
                          "http://[::1", "http://h:80/a b", "http://h\r\nX: y"}) {
    EXPECT_FALSE(ParseBaseUrl(url).ok()) << url;
  }
}

}  // namespace
}  // namespace glint::load
