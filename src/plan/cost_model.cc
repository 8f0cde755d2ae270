// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_model.h"

#include <cmath>

#include "base/format.h"

namespace glint::plan {
namespace {

Status CheckRange(double value, double least, double most, const char* name) {
  if (std::isfinite(value) && value >= least && value <= most) return Ok();
  return InvalidArgument(format("{} is {}, must be {} to {}", name, value, least, most));
}

}  // namespace

Status CheckOwned(const OwnedCosts& costs, double years) {
  constexpr double kMostMoney = 1e12;
  GLINT_TRY(CheckRange(years, 1.0 / kHoursPerYear, 100, "years"));
  GLINT_TRY(CheckRange(costs.purchase, 0, kMostMoney, "purchase-usd"));
  GLINT_TRY(CheckRange(costs.power_w, 0, 1e9, "power-w"));
  GLINT_TRY(CheckRange(costs.pue, 1, 10, "pue"));
  GLINT_TRY(CheckRange(costs.per_kwh, 0, 1e6, "usd-per-kwh"));
  GLINT_TRY(CheckRange(costs.cooling_per_year, 0, kMostMoney, "cooling-usd-per-year"));
  GLINT_TRY(CheckRange(costs.rack_per_year, 0, kMostMoney, "rack-usd-per-year"));
  GLINT_TRY(CheckRange(costs.staff_per_year, 0, kMostMoney, "staff-usd-per-year"));
  return CheckRange(costs.interest_per_year, 0, 1, "interest");
}

Status CheckRate(double rate, const char* name) { return CheckRange(rate, 1e-6, 1e12, name); }

OwnershipBill OwnershipCost(const OwnedCosts& costs, double years) {
  OwnershipBill bill;
  bill.hours = kHoursPerYear * years;
  bill.purchase = costs.purchase;
  bill.interest =
      costs.interest_per_year > 0
          ? YearlyPayment(costs.purchase, costs.interest_per_year, years) * years - costs.purchase
          : 0;
  bill.energy = costs.power_w / 1000 * costs.pue * bill.hours * costs.per_kwh;
  bill.cooling = costs.cooling_per_year * years;
  bill.rack = costs.rack_per_year * years;
  bill.staff = costs.staff_per_year * years;
  return bill;
}

double RentCost(double per_hour, double years) { return per_hour * kHoursPerYear * years; }

double YearlyPayment(double loan, double interest_per_year, double years) {
  if (interest_per_year <= 0) return loan / years;
  // 1 - (1 + r)^-n without the loss of digits at small r.
  return loan * interest_per_year / -std::expm1(-years * std::log1p(interest_per_year));
}

double TokensInYears(double tok_per_s, double years, double utilization) {
  return tok_per_s * kSecondsPerHour * kHoursPerYear * years * utilization;
}

double PerMillionTokens(double per_hour, double tok_per_s, double utilization) {
  return per_hour / (tok_per_s * utilization * kSecondsPerHour / 1e6);
}

double TokPerSPerMegawatt(double tok_per_s, double power_w) { return tok_per_s / power_w * 1e6; }

double JoulesPerToken(double power_w, double tok_per_s) { return power_w / tok_per_s; }

double BreakEvenPriceRatio(double tok_per_s_a, double tok_per_s_b) {
  return tok_per_s_b / tok_per_s_a;
}

double ImpliedHoursPriceCards(double energy_cost, double card_power_w) {
  return energy_cost / (card_power_w / 1000);
}

}  // namespace glint::plan
