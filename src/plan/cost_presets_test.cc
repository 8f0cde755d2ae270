// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_presets.h"

#include <gtest/gtest.h>

#include "plan/catalog_parser.h"

namespace glint::plan {
namespace {

using Row = std::vector<std::string>;

const Catalog& BuiltIn() {
  static const Catalog catalog = LoadCatalog({}).value();
  return catalog;
}

TEST(CostPresets, HalfTheCostUnderSixPricePairs) {
  const auto answer =
      ComparePricePairs(BuiltIn(), *BuiltIn().FindComparison("half-the-cost").value(), {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const ReportSection& section = answer.value().report.sections.front();
  const std::vector<Row>& rows = section.tables.front().rows;
  const std::vector<Row> expected = {
      {"SemiAnalysis hyperscaler, Aug-2025 (1.48 / 1.95)", "$1.25", "$1.36", "1.08x"},
      {"SemiAnalysis hyperscaler, Jul-2026 (1.50 / 1.73)", "$1.27", "$1.20", "0.95x"},
      {"SemiAnalysis 3-yr rent, Sep-2026 (2.90 / 3.70)", "$2.45", "$2.58", "1.05x"},
      {"TensorWave, Jul-2026 / Hyperstack, Jul-2026 (2.95 / 6.00)", "$2.50", "$4.18", "1.67x"},
      {"TensorWave, Jul-2026 / Lambda 64-GPU, Jul-2026 (2.95 / 9.36)", "$2.50", "$6.52", "2.61x"},
      {"Oracle list, Jul-2026 / Hyperstack, Jul-2026 (8.60 / 6.00)", "$7.28", "$4.18", "0.57x"}};
  EXPECT_EQ(rows, expected);
  EXPECT_NE(section.notes.front().find("b200 at 1.216 times the price of mi355x"),
            std::string::npos);
}

TEST(CostPresets, HardwareTcoIsPurchaseAndYearsOfPowerAndCooling) {
  const CaseInput a{.tok_s = 1756, .purchase_usd = 30000, .power_w = 800, .flag_prefix = "--"};
  const CaseInput b{.tok_s = 1369, .purchase_usd = 15000, .power_w = 600, .flag_prefix = "--b-"};
  const auto answer =
      HardwareTco({a, b}, {.usd_per_kwh = 0.10, .cooling_usd_per_year = 0}, Money());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto& rows = answer.value().report.sections.front().tables.front().rows;
  EXPECT_EQ(rows.back(), (Row{"per billion tokens", "$193.23", "$127.99"}));
  EXPECT_EQ(rows[4], (Row{"total", "$32,102.40", "$16,576.80"}));
  const auto cooled =
      HardwareTco({a}, {.usd_per_kwh = 0.10, .cooling_usd_per_year = 100}, Money()).value();
  EXPECT_EQ(cooled.report.sections.front().tables.front().rows[4], (Row{"total", "$32,402.40"}));
  EXPECT_NE(HardwareTco({a}, {}, Money()).error().message.find("--usd-per-kwh"), std::string::npos);
  EXPECT_FALSE(
      HardwareTco({{.purchase_usd = -1, .power_w = 1}}, {.usd_per_kwh = 0.1}, Money()).ok());
}

TEST(CostPresets, FleetTakesTheCirculatingFiguresApart) {
  const Fleet& fleet = *BuiltIn().FindFleet("fleet-100").value();
  const auto answer = PriceFleet(fleet, {.cards_per_node = 8, .price_per_kwh = 0.6});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto& tables = answer.value().report.sections.front().tables;
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].rows[0], (Row{"card at CNY 12000", "800", "CNY 9,600,000.00",
                                    "CNY 6,937,920.00", "CNY 16,537,920.00"}));
  EXPECT_EQ(tables[1].rows[0], (Row{"card at CNY 12000", "CNY 148,500.00", "270", "270000",
                                    "10.2740", "1.2842", "0.012842"}));
  EXPECT_EQ(tables[1].rows[1][2], "270");
}

TEST(CostPresets, FleetWithoutInputsMakesNoBill) {
  const Fleet& fleet = *BuiltIn().FindFleet("fleet-100").value();
  const auto answer = PriceFleet(fleet, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().report.sections.front().tables.size(), 1U);
  EXPECT_EQ(answer.value().json.Find("cards")->array()->front().Find("purchase"), nullptr);
  EXPECT_FALSE(PriceFleet(fleet, {.cards_per_node = 0}).ok());
  EXPECT_FALSE(PriceFleet(fleet, {.cards_per_node = 2.5}).ok());
  EXPECT_FALSE(PriceFleet(fleet, {.price_per_kwh = -1}).ok());
}

}  // namespace
}  // namespace glint::plan
