// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/format.h"

namespace glint::plan {
namespace {

OwnedCosts Card(double purchase, double power_w) {
  return {.purchase = purchase, .power_w = power_w, .per_kwh = 0.10};
}

double PerBillion(const OwnedCosts& costs, double tok_per_s) {
  return OwnershipCost(costs, 3).total() / (TokensInYears(tok_per_s, 3, 1) / 1e9);
}

TEST(CostModel, ThreeYearCostPerBillionTokensOfTheCirculatingCards) {
  EXPECT_EQ(format("{:.2f}", PerBillion(Card(30000, 800), 1756)), "193.23");
  EXPECT_EQ(format("{:.2f}", PerBillion(Card(15000, 600), 1369)), "127.99");
  EXPECT_EQ(format("{:.4f}", PerBillion(Card(15000, 600), 2626) / 1000), "0.0667");
}

TEST(CostModel, ABillIsTheSumOfItsParts) {
  const OwnershipBill bill = OwnershipCost({.purchase = 1000,
                                            .power_w = 500,
                                            .pue = 1.2,
                                            .per_kwh = 0.2,
                                            .cooling_per_year = 10,
                                            .rack_per_year = 20,
                                            .staff_per_year = 30},
                                           2);
  EXPECT_EQ(bill.hours, 17520);
  EXPECT_DOUBLE_EQ(bill.energy, 0.5 * 1.2 * 17520 * 0.2);
  EXPECT_EQ(bill.cooling, 20);
  EXPECT_EQ(bill.rack, 40);
  EXPECT_EQ(bill.staff, 60);
  EXPECT_EQ(bill.interest, 0);
  EXPECT_DOUBLE_EQ(bill.total(), 1000 + bill.energy + 120);
}

TEST(CostModel, InterestIsThatOfAnAnnuity) {
  // 1000 over one year at 10 % is one payment of 1100; over two years two of 576.19.
  EXPECT_NEAR(YearlyPayment(1000, 0.1, 1), 1100, 1e-9);
  EXPECT_NEAR(YearlyPayment(1000, 0.1, 2), 576.190476, 1e-6);
  EXPECT_NEAR(YearlyPayment(1000, 1e-12, 4), 250, 1e-6);
  EXPECT_NEAR(OwnershipCost({.purchase = 1000, .interest_per_year = 0.1}, 2).interest, 152.380952,
              1e-6);
}

TEST(CostModel, PerMillionTokensIsTheHourOverItsTokens) {
  EXPECT_NEAR(PerMillionTokens(8 * 1.48, 2626, 1), 1.25243, 1e-5);
  EXPECT_NEAR(PerMillionTokens(8 * 1.48, 2626, 0.5), 2 * 1.25243, 1e-4);
  EXPECT_EQ(format("{:.3f}", BreakEvenPriceRatio(2626, 3192)), "1.216");
}

TEST(CostModel, EnergyFigures) {
  // 1756 tok/s/GPU at 2.17 kW: the circulating 809,366 tok/s/MW is its unrounded form.
  EXPECT_NEAR(TokPerSPerMegawatt(1756, 2170), 809217, 1);
  EXPECT_NEAR(JoulesPerToken(2170, 1756), 1.23576, 1e-5);
}

TEST(CostModel, TheCirculatingEnergyFiguresAreOneProduct) {
  EXPECT_DOUBLE_EQ(ImpliedHoursPriceCards(148500, 550), 270000);
  EXPECT_DOUBLE_EQ(ImpliedHoursPriceCards(189000, 700), 270000);
}

TEST(CostModel, RefusesWhatNoBillCanHave) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(CheckOwned({}, 3).ok());
  for (const double bad : {-1.0, nan, infinity, 1e300}) {
    EXPECT_FALSE(CheckOwned({.purchase = bad}, 3).ok()) << bad;
    EXPECT_FALSE(CheckOwned({.power_w = bad}, 3).ok()) << bad;
    EXPECT_FALSE(CheckOwned({.pue = bad}, 3).ok()) << bad;
    EXPECT_FALSE(CheckOwned({.per_kwh = bad}, 3).ok()) << bad;
    EXPECT_FALSE(CheckOwned({.interest_per_year = bad}, 3).ok()) << bad;
    EXPECT_FALSE(CheckOwned({}, bad).ok()) << bad;
    EXPECT_FALSE(CheckRate(bad, "tok-s").ok()) << bad;
  }
  EXPECT_FALSE(CheckRate(0, "tok-s").ok());
  EXPECT_FALSE(CheckOwned({}, 0).ok());
  EXPECT_NE(CheckRate(0, "tok-s").error().message.find("tok-s is 0"), std::string::npos);
}

}  // namespace
}  // namespace glint::plan
