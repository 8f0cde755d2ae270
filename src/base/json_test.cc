// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace glint {
namespace {

std::string RoundTrip(std::string_view text) {
  const Result<Json> parsed = ParseJson(text, "test");
  return parsed.ok() ? parsed.value().Write() : parsed.error().message;
}

TEST(Json, KeepsKeyOrderAndNumberText) {
  for (const char* text : {R"({"b":1,"a":2,"c":{"z":[],"y":{}}})", "123456789012345678901234567890",
                           "-123456789012345678901234567890", "1e15", "1.0", "-0", "-0.0", "0.10",
                           "1E+2", "9223372036854775807", "18446744073709551615",
                           "-9223372036854775808", R"([null,true,false,"é\u0000\"\\\n"])"}) {
    EXPECT_EQ(RoundTrip(text), text);
  }
}

TEST(Json, WritesIndented) {
  const Json value(Json::Object{{"a", Json(Json::Array{1, 2})}, {"b", Json(Json::Object{})}});
  EXPECT_EQ(value.WriteIndented(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(Json, LastOfDuplicateKeysCounts) {
  const Json value = ParseJson(R"({"a":1,"a":2})", "test").value();
  EXPECT_EQ(value.Find("a")->AsInt(), 2);
  EXPECT_EQ(value.object()->size(), 2U);
}

TEST(Json, IntegersAndDoublesAreReadFromTheText) {
  const auto number = [](const char* text) { return Json(Json::Number{text}); };
  EXPECT_EQ(number("42").AsInt(), 42);
  EXPECT_EQ(number("1.0").AsInt(), std::nullopt);
  EXPECT_EQ(number("9223372036854775808").AsInt(), std::nullopt);
  EXPECT_EQ(number("1e-5").AsDouble(), 1e-5);
  EXPECT_EQ(number("1e-400").AsDouble(), 0.0);
  EXPECT_EQ(number("1e400").AsDouble(), std::nullopt);
  EXPECT_EQ(Json("42").AsInt(), std::nullopt);
}

TEST(Json, NonFiniteNumbersBecomeNull) {
  EXPECT_TRUE(Json(std::nan("")).is_null());
  EXPECT_TRUE(Json(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(Json(0.1).Write(), "0.1");
}

TEST(Json, RefusesWhatIsNotStrictJson) {
  for (const char* text : {"", "{", "[1,]", "{'a':1}", "01", "+1", "NaN", "1 2", "\"\xff\"",
                           "\"\xed\xa0\x80\"", "\"\\ud800\"", "\"a\nb\"", "[1e999]", "// c\n1"}) {
    const Result<Json> parsed = ParseJson(text, "request body");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(parsed.error().message.rfind("request body: invalid JSON at byte ", 0), 0U)
        << parsed.error().message;
  }
}

TEST(Json, TheTextDoesNotEndAtANul) {
  EXPECT_EQ(ParseJson(std::string_view("6 \0", 3), "f").error().message,
            "f: invalid JSON at byte 2: a NUL");
}

TEST(Json, DepthAndValueLimitsHold) {
  const std::string deep = std::string(129, '[') + std::string(129, ']');
  EXPECT_EQ(ParseJson(deep, "f").error().message, "f: JSON nested deeper than 128 levels");
  EXPECT_TRUE(ParseJson(deep, "f", {.depth = 129}).ok());
  EXPECT_EQ(ParseJson("[1,2,3]", "f", {.values = 3}).error().message,
            "f: JSON holds more than 3 values");
  EXPECT_TRUE(ParseJson("[1,2]", "f", {.values = 3}).ok());
}

TEST(Json, FindOnOtherTypesIsNull) {
  EXPECT_EQ(Json(Json::Array{}).Find("a"), nullptr);
  EXPECT_EQ(Json().Find("a"), nullptr);
}

}  // namespace
}  // namespace glint
