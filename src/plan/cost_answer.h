// SPDX-License-Identifier: Apache-2.0
// The figures of a cost case, and of one against another.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/cost_case.h"

namespace glint::plan {

struct CostAnswer {
  double usd_per_hour = 0;  // owned: the bill over its hours
  double usd_per_million_output = 0;
  // Of the same money: these are three views of one bill and must not be added.
  std::optional<double> usd_per_million_total;           // input and output
  std::optional<double> usd_per_million_uncached_input;  // nullopt: input or cached share unknown
  OwnershipBill bill;  // of `years`, for one unit; rent stands in `rent`
  double rent = 0;
  double tco = 0;                            // bill or rent, one unit
  double tokens = 0;                         // output tokens in `years`, one unit
  double tco_per_billion = 0;                // of output tokens
  std::optional<double> tok_s_per_megawatt;  // power times PUE
  std::optional<double> joules_per_token;
};

// Over `years`, which may differ from shared.years. kInvalidArgument when a figure overflows.
Result<CostAnswer> AnswerCase(const CostCase& cost, const SharedInput& shared, double years);

struct Sensitivity {
  static constexpr std::array<double, 5> kFactors{0.8, 0.9, 1.0, 1.1, 1.2};
  // [price of A x factor][speed of A x factor]: cost of B's token over A's.
  std::array<std::array<double, 5>, 5> cost_ratio{};
};

struct CostComparison {
  CostAnswer a;
  CostAnswer b;
  double cost_ratio = 0;        // B's token over A's: above 1, A is cheaper
  double price_ratio = 0;       // B's hour over A's
  double break_even_ratio = 0;  // the price_ratio at which a token costs the same
  Sensitivity sensitivity;
};

Result<CostComparison> CompareCases(const CostCase& a, const CostCase& b,
                                    const SharedInput& shared);

}  // namespace glint::plan
