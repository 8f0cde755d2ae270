// SPDX-License-Identifier: Apache-2.0
// What a token costs: pure functions of numbers.
//
// Money is USD unless a name says otherwise (the functions do not care), power W, rates tokens/s.
// Callers keep inputs within the ranges of CheckOwned and CheckRate, so that nothing here overflows
// or divides by zero.
//
// Sources. $/M tokens = rate / (tok/s x 0.0036): InferenceX, cost per million tokens
// = $/GPU/h / (tput_per_gpu x 3600 / 1e6); tok/s/MW = tput_per_gpu x 1000 / kW;
// J/token = kW x 1000 / tput_per_gpu. Loan: the annuity formula, payment = P r / (1 - (1 + r)^-n).
#pragma once

#include <cstdint>

#include "base/result.h"

namespace glint::plan {

inline constexpr double kHoursPerYear = 8760;  // 365 days
inline constexpr double kSecondsPerHour = 3600;

// Owning a machine that makes a given number of tokens a second.
struct OwnedCosts {
  double purchase = 0;           // paid once, >= 0
  double power_w = 0;            // while running, >= 0
  double pue = 1;                // energy drawn by the building per energy of the machine, >= 1
  double per_kwh = 0;            // >= 0
  double cooling_per_year = 0;   // money, beside what PUE covers; >= 0
  double rack_per_year = 0;      // colocation, network; >= 0
  double staff_per_year = 0;     // >= 0
  double interest_per_year = 0;  // 0.05 is 5 %; the purchase is a loan over `years`; 0 to 1
};

struct OwnershipBill {
  double hours = 0;
  double purchase = 0;
  double interest = 0;
  double energy = 0;
  double cooling = 0;
  double rack = 0;
  double staff = 0;
  [[nodiscard]] double total() const {
    return purchase + interest + energy + cooling + rack + staff;
  }
};

// kInvalidArgument with the first value that is not finite or out of its range, named as its flag
// is: years above 0 to 100, money at most 1e12, power at most 1e9 W, PUE 1 to 10.
Status CheckOwned(const OwnedCosts& costs, double years);

// Same, for a rate: above 0 (1e-6) and at most 1e12. `name` is the flag's.
Status CheckRate(double rate, const char* name);

// The bill of `years` years. Total cost of ownership is its total().
OwnershipBill OwnershipCost(const OwnedCosts& costs, double years);

// Rent of `years` years at `per_hour`.
double RentCost(double per_hour, double years);

// The constant yearly payment that pays back `loan` with interest over `years`; loan / years when
// the interest is 0.
double YearlyPayment(double loan, double interest_per_year, double years);

// Tokens made in `years` years; `utilization` is the share of hours that the machine is used, 0
// to 1.
double TokensInYears(double tok_per_s, double years, double utilization);

// Cost of a million tokens at a price per hour of all that makes `tok_per_s`.
double PerMillionTokens(double per_hour, double tok_per_s, double utilization);

double TokPerSPerMegawatt(double tok_per_s, double power_w);
double JoulesPerToken(double power_w, double tok_per_s);

// How many times the price of A the price of B may be (both per the same number of GPUs) for a
// token to cost the same: B's speed over A's.
double BreakEvenPriceRatio(double tok_per_s_a, double tok_per_s_b);

// What a circulating energy figure implies: energy_cost / kW = hours x price per kWh x cards.
double ImpliedHoursPriceCards(double energy_cost, double card_power_w);

}  // namespace glint::plan
