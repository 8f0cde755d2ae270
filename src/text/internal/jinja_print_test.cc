// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace glint::text::jinja {
namespace {

TEST(RealText, IsPythonsRepr) {
  EXPECT_EQ(RealText(1.0), "1.0");
  EXPECT_EQ(RealText(-0.0), "-0.0");
  EXPECT_EQ(RealText(0.1), "0.1");
  EXPECT_EQ(RealText(1e15), "1000000000000000.0");
  EXPECT_EQ(RealText(1e16), "1e+16");
  EXPECT_EQ(RealText(1.25e-5), "1.25e-05");
  EXPECT_EQ(RealText(0.0001), "0.0001");
  EXPECT_EQ(RealText(-1e300), "-1e+300");
  EXPECT_EQ(RealText(5e-324), "5e-324");
  EXPECT_EQ(RealText(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(RealText(std::nan("")), "nan");
}

class Printing : public testing::Test {
 protected:
  Value Parsed(const char* json) {
    return FromJson(&budget_, ParseJson(json, "test").value()).value();
  }
  Budget budget_{{.steps = 10'000, .live_bytes = 100'000}};
};

TEST_F(Printing, StrOfAListHasTheReprOfItsItems) {
  EXPECT_EQ(Str(budget_, Parsed(R"([null, true, 1.0, "it's", "\n\u200bé", {"a": []}])")).value(),
            R"([None, True, 1.0, "it's", '\n\u200bé', {'a': []}])");
}

TEST_F(Printing, JsonHasPythonsSeparatorsAndKeepsCharacters) {
  const Value value = Parsed(R"({"é": [1, {"b": "\u0001\"/"}], "c": {}})");
  EXPECT_EQ(DumpJson(budget_, value, {}).value(), R"({"é": [1, {"b": "\u0001\"/"}], "c": {}})");
  EXPECT_EQ(DumpJson(budget_, Parsed("\"\U0001F600\""), {.ensure_ascii = true}).value(),
            R"("\ud83d\ude00")");
}

TEST_F(Printing, WhatHasNoTextIsAnError) {
  EXPECT_FALSE(DumpJson(budget_, Value(Undefined{}), {}).ok());
  EXPECT_FALSE(Str(budget_, MakeSequence(&budget_, Flavor::kGenerator, {}).value()).ok());
}

TEST_F(Printing, ALongTextEndsWithTheBudget) {
  Value value = Parsed("[1]");
  for (int i = 0; i < 100; ++i) value = MakeList(&budget_, {value, value}).value();
  EXPECT_TRUE(Str(budget_, value).ok());
  EXPECT_FALSE(budget_.ok());
  EXPECT_FALSE(budget_.Check().ok());
}

}  // namespace
}  // namespace glint::text::jinja
