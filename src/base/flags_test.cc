// SPDX-License-Identifier: Apache-2.0
#include "base/flags.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

struct TestFlags {
  std::string model;
  bool json = false;
  std::int64_t threads = 2;
  double rate = 1.5;
  std::string format = "bf16";
  std::optional<double> price;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL", "the model");
    visitor.Flag(json, "json", "", "print JSON");
    visitor.Flag(threads, "threads", "N", "worker threads");
    visitor.Flag(rate, "rate", "REQ/S", "arrival rate");
    visitor.Flag(format, "format", "", "number format");
    visitor.Flag(price, "price", "USD", "purchase price");
  }
};

const CommandText kCommand{"glint test", "Tests flags.", "  glint test demo"};

TEST(Flags, FillsEveryKindOfField) {
  TestFlags flags;
  const FlagOutcome outcome = ParseFlags(
      kCommand, {"demo", "--json", "--threads", "8", "--rate=0.25", "--format", "fp8"}, flags);
  ASSERT_TRUE(outcome.run) << outcome.text;
  EXPECT_EQ(flags.model, "demo");
  EXPECT_TRUE(flags.json);
  EXPECT_EQ(flags.threads, 8);
  EXPECT_EQ(flags.rate, 0.25);
  EXPECT_EQ(flags.format, "fp8");
}

TEST(Flags, ANumberLeftOutIsNotZero) {
  TestFlags without;
  ASSERT_TRUE(ParseFlags(kCommand, {"demo"}, without).run);
  EXPECT_FALSE(without.price.has_value());
  EXPECT_TRUE(DescribeFlags(without).Find("price")->is_null());
  TestFlags with;
  ASSERT_TRUE(ParseFlags(kCommand, {"demo", "--price", "-5"}, with).run);
  EXPECT_EQ(with.price, -5.0);
  TestFlags wrong;
  EXPECT_EQ(ParseFlags(kCommand, {"demo", "--price", "cheap"}, wrong).exit_code, 2);
}

TEST(Flags, HelpShowsDefaultsUnitsAndExamples) {
  TestFlags flags;
  const FlagOutcome outcome = ParseFlags(kCommand, {"--help"}, flags);
  EXPECT_FALSE(outcome.run);
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"Tests flags.", "--threads", "=2", "REQ/S", "glint test demo"}) {
    EXPECT_NE(outcome.text.find(part), std::string::npos) << part << "\n" << outcome.text;
  }
}

TEST(Flags, WrongUseIsExitCodeTwoAndNamesTheWord) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{},
        {"demo", "--threads", "many"},
        {"demo", "--nope"},
        {"demo", "extra"},
        {"demo", "--threads", "99999999999999999999"}}) {
    TestFlags flags;
    const FlagOutcome outcome = ParseFlags(kCommand, arguments, flags);
    EXPECT_FALSE(outcome.run);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.text.find("glint test: "), std::string::npos) << outcome.text;
  }
}

TEST(Flags, DescribesTheConfigurationByName) {
  TestFlags flags;
  flags.model = "demo";
  EXPECT_EQ(DescribeFlags(flags).Write(),
            R"({"MODEL":"demo","json":false,"threads":2,"rate":1.5,"format":"bf16","price":null})");
}

}  // namespace
}  // namespace glint
