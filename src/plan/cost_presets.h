// SPDX-License-Identifier: Apache-2.0
// Named calculations of `glint cost --preset`: a published comparison under several price books,
// the plain hardware sum, and a fleet of nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/report.h"
#include "base/result.h"
#include "plan/catalog.h"
#include "plan/cost_case.h"
#include "plan/money.h"

namespace glint::plan {

struct PresetAnswer {
  Report report;
  Json json;
};

// Every price pair of a comparison: cost of a million output tokens of A and B, and the ratio; with
// the break-even price ratio.
Result<PresetAnswer> ComparePricePairs(const Catalog& catalog, const Comparison& comparison,
                                       const SharedInput& shared);

// purchase + (power + cooling) x years, for one machine or two side by side; a speed adds the cost
// of a billion tokens. Each side needs purchase_usd and power_w; shared.usd_per_kwh is needed.
Result<PresetAnswer> HardwareTco(const std::vector<CaseInput>& sides, const SharedInput& shared,
                                 const Money& money);

// What a fleet's cards cost to buy and to run. Without cards per node or price per kWh, only what
// follows without them; the circulating energy figures are taken apart in any case.
struct FleetInput {
  std::optional<double> cards_per_node;  // 1 to 1024, whole
  std::optional<double> price_per_kwh;   // in the fleet's currency
};
Result<PresetAnswer> PriceFleet(const Fleet& fleet, const FleetInput& input);

}  // namespace glint::plan
