// SPDX-License-Identifier: Apache-2.0
#include "eval/bench_model.h"

#include <gtest/gtest.h>

namespace glint::eval {
namespace {

constexpr MachineRates kRates{.read_bytes = 10, .f32_ops = 100, .int8_ops = 1000};

TEST(BenchModel, TheLimitIsTheLongerOfReadingAndComputing) {
  EXPECT_DOUBLE_EQ(LimitSeconds({.bytes = 50, .f32_ops = 100}, kRates), 5);
  EXPECT_DOUBLE_EQ(LimitSeconds({.bytes = 5, .f32_ops = 100, .int8_ops = 500}, kRates), 1.5);
}

BenchModelResult TwoSequences() {
  BenchModelResult result{.rates = kRates, .bytes_per_step = 40, .batch = 2};
  result.prefill.tok_s = 7;
  result.prefill.limit_fraction = 0.25;
  result.decode.limit_fraction = 0.5;
  result.decode.operations = {
      {.cost = {.name = "moe", .bytes = 50, .f32_ops = 100}, .calls = 3, .seconds = 10}};
  return result;
}

TEST(BenchModel, JsonHasBothFractionsAndTheBytesOfAStepAndOfAToken) {
  const Json json = BenchModelJson(TwoSequences());
  EXPECT_EQ(json.Find("limit_fraction")->Find("prefill")->AsDouble(), 0.25);
  EXPECT_EQ(json.Find("limit_fraction")->Find("decode")->AsDouble(), 0.5);
  EXPECT_EQ(json.Find("decode_bytes_per_step")->AsDouble(), 40);
  EXPECT_EQ(json.Find("decode_bytes_per_token")->AsDouble(), 20);
  const Json& moe = json.Find("decode_operations")->array()->front();
  EXPECT_EQ(moe.Find("limit_seconds")->AsDouble(), 5);
}

TEST(BenchModel, TheTableSaysHowFarAnOperationIsFromItsLimit) {
  const std::string text = OperationsText(TwoSequences());
  EXPECT_NE(text.find("moe"), std::string::npos);
  EXPECT_NE(text.find("50 %"), std::string::npos) << text;
}

}  // namespace
}  // namespace glint::eval
