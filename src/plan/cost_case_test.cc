// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_case.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "plan/catalog_parser.h"
#include "plan/cost_answer.h"
#include "plan/cost_report.h"

namespace glint::plan {
namespace {

class CostCaseTest : public testing::Test {
 protected:
  std::string ErrorOf(const CaseInput& input, const SharedInput& shared = {}) {
    const auto found = ResolveCase(catalog_, input, shared);
    return found.ok() ? "" : found.error().message;
  }

  const Catalog catalog_ = LoadCatalog({}).value();
  const CaseInput given_{.tok_s = 2626, .purchase_usd = 15000, .power_w = 600, .flag_prefix = "--"};
  const SharedInput kwh_{.usd_per_kwh = 0.10};
};

TEST_F(CostCaseTest, TheDocumentedCall) {
  const CostCase found = ResolveCase(catalog_, given_, kwh_).value();
  const CostAnswer answer = AnswerCase(found, kwh_, 3).value();
  EXPECT_EQ(format("{:.4f}", answer.usd_per_million_output), "0.0667");
  EXPECT_EQ(format("{:.2f}", answer.tco), "16576.80");
  EXPECT_EQ(format("{:.2f}", answer.tco_per_billion), "66.72");
}

TEST_F(CostCaseTest, RefusesOneMachinesPriceWithAnothersSpeed) {
  // The circulating "2.75x cheaper" took the price of a B300 and the speed of a B200.
  EXPECT_NE(ErrorOf({.result = "wafer-b200", .price = "neocloud-2026-07:b300", .flag_prefix = "--"})
                .find("refused"),
            std::string::npos);
  EXPECT_NE(ErrorOf({.result = "wafer-b200",
                     .machine = "b300",
                     .price = "neocloud-2026-07",
                     .flag_prefix = "--"})
                .find("cannot be given"),
            std::string::npos);
  EXPECT_EQ(
      ErrorOf({.result = "wafer-b200", .price = "neocloud-2026-07:b200", .flag_prefix = "--"}), "");
}

TEST_F(CostCaseTest, ABookPriceNeedsToKnowWhoseSpeedItIs) {
  EXPECT_NE(
      ErrorOf({.tok_s = 100, .price = "neocloud-2026-07", .flag_prefix = "--"}).find("--machine"),
      std::string::npos);
  EXPECT_NE(ErrorOf({.result = "wafer-b200", .price = "vultr-2026-07", .flag_prefix = "--"})
                .find("no price of b200"),
            std::string::npos);
}

TEST_F(CostCaseTest, NamesWhatIsMissingTwiceOrUnknown) {
  EXPECT_NE(ErrorOf({.flag_prefix = "--"}).find("one of --tok-s and --result"), std::string::npos);
  EXPECT_NE(ErrorOf({.tok_s = 1, .flag_prefix = "--"}).find("--purchase-usd"), std::string::npos);
  EXPECT_NE(ErrorOf({.tok_s = 1, .usd_per_gpu_hour = 1, .purchase_usd = 1, .flag_prefix = "--b-"})
                .find("--b-purchase-usd"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf({.tok_s = 1, .machine = "z9", .purchase_usd = 1, .flag_prefix = "--"}).find("\"z9\""),
      std::string::npos);
  EXPECT_NE(ErrorOf({.tok_s = 0, .purchase_usd = 1, .flag_prefix = "--"}).find("tok-s is 0"),
            std::string::npos);
  EXPECT_NE(ErrorOf(given_, {.utilization = 0}).find("utilization"), std::string::npos);
  EXPECT_NE(ErrorOf(given_, {.nodes = 0}).find("nodes"), std::string::npos);
}

TEST_F(CostCaseTest, FacilityPowerTakesNoPue) {
  CaseInput input{.result = "wafer-mi355x",
                  .price = "rent-3y-2026-09",
                  .power = "facility",
                  .flag_prefix = "--"};
  EXPECT_EQ(ResolveCase(catalog_, input, {}).value().power_w, 8 * 2650.0);
  EXPECT_NE(ErrorOf(input, {.pue = 1.3}).find("facility"), std::string::npos);
}

TEST_F(CostCaseTest, InputTokensArePricedByWhatWasNotCached) {
  const CostCase found =
      ResolveCase(catalog_,
                  {.result = "wafer-mi355x", .price = "tensorwave-2026-07", .flag_prefix = "--"},
                  {})
          .value();
  const CostAnswer answer = AnswerCase(found, {}, 3).value();
  EXPECT_NEAR(answer.usd_per_hour, 23.6, 1e-9);
  EXPECT_NEAR(*answer.usd_per_million_total, 23.6 / ((48000 + 2626) * 0.0036), 1e-9);
  EXPECT_NEAR(*answer.usd_per_million_uncached_input, 23.6 / (19200 * 0.0036), 1e-9);
}

TEST_F(CostCaseTest, OnlyEqualTargetsAreCompared) {
  const CostCase bare = ResolveCase(catalog_, given_, kwh_).value();
  const CostCase wafer =
      ResolveCase(catalog_,
                  {.result = "wafer-b200", .price = "hyperstack-2026-07", .flag_prefix = "--"}, {})
          .value();
  EXPECT_NE(CompareCases(bare, wafer, kwh_).error().message.find("latency target"),
            std::string::npos);
}

TEST_F(CostCaseTest, BreakEvenAndSensitivityFollowFromTheSpeeds) {
  const auto side = [&](const char* result, const char* book) {
    return ResolveCase(catalog_, {.result = result, .price = book, .flag_prefix = "--"}, {})
        .value();
  };
  const auto result = CompareCases(side("wafer-mi355x", "hyperscaler-2026-07"),
                                   side("wafer-b200", "hyperscaler-2026-07"), {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(format("{:.3f}", result.value().break_even_ratio), "1.216");
  EXPECT_EQ(format("{:.2f}", result.value().cost_ratio), "0.95");
  const auto& table = result.value().sensitivity.cost_ratio;
  EXPECT_DOUBLE_EQ(table[2][2], result.value().cost_ratio);
  EXPECT_DOUBLE_EQ(table[0][2], result.value().cost_ratio / 0.8);
  EXPECT_DOUBLE_EQ(table[2][4], result.value().cost_ratio * 1.2);
}

TEST_F(CostCaseTest, TheReportShowsTheAccuracyThatBelongsToTheSpeed) {
  const CostCase found =
      ResolveCase(catalog_,
                  {.result = "wafer-mi355x", .price = "tensorwave-2026-07", .flag_prefix = "--"},
                  {})
          .value();
  const std::string text = WriteReportText(ReportCase(found, {}, Money()).value());
  EXPECT_NE(text.find("GSM8K (200 questions, 5-shot) 0.955"), std::string::npos);
  const CostCase bare = ResolveCase(catalog_, given_, kwh_).value();
  EXPECT_NE(WriteReportText(ReportCase(bare, kwh_, Money()).value()).find("none was given"),
            std::string::npos);
}

TEST_F(CostCaseTest, MoneyIsWrittenInTheCurrencyAsked) {
  EXPECT_EQ(Money().Text(0.06672), "$0.0667");
  EXPECT_EQ(Money().Text(16576.8), "$16,576.80");
  EXPECT_EQ(Money::Create("CNY", 7.1).value().Text(0.06672), "CNY 0.4737");
  EXPECT_FALSE(Money::Create("CNY", 0).ok());
  EXPECT_FALSE(Money::Create("CNY", -7).ok());
  EXPECT_FALSE(Money::Create("yuan", 7).ok());
  EXPECT_FALSE(Money::Create("USD", 2).ok());
}

}  // namespace
}  // namespace glint::plan
