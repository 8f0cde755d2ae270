// SPDX-License-Identifier: Apache-2.0
// One thing to price: a speed, and what the machine that made it costs. Joins what the caller gives
// with the catalogue, and refuses what does not belong together: a price of one machine with the
// speed of another, two prices at once, a PUE on power that includes the building.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "plan/catalog.h"
#include "plan/cost_model.h"

namespace glint::plan {

// What the caller says about one side. Empty and nullopt: not said.
struct CaseInput {
  std::string result;  // a result of the catalogue, or a load generator's file
  std::optional<double> tok_s;
  std::optional<double> input_tok_s;
  std::optional<double> cached_share;
  std::string machine;
  std::int64_t gpus = 0;  // 0: not said
  std::string price;      // BOOK, or BOOK:MACHINE, which must be the speed's machine
  std::optional<double> usd_per_gpu_hour;
  std::optional<double> purchase_usd;
  std::optional<double> power_w;  // of all that makes the speed
  std::string power = "all-in";   // else: the machine's figure with this definition
  std::string accuracy;
  std::string flag_prefix;  // "--" or "--b-": how messages name the inputs
};

// What both sides share.
struct SharedInput {
  double years = 3;
  std::optional<double> usd_per_kwh;
  double pue = 1;
  double cooling_usd_per_year = 0;
  double rack_usd_per_year = 0;
  double staff_usd_per_year = 0;
  double interest = 0;
  double utilization = 1;  // share of the hours in use, above 0 to 1
  std::int64_t nodes = 1;
  std::string latency;  // KEY_ms=LIMIT, or empty
};

struct CostCase {
  SpeedResult speed;
  bool purchased = false;
  OwnedCosts owned;               // when purchased
  double usd_per_hour = 0;        // else: of all GPUs together
  std::string price_text;         // "rented, TensorWave, Jul-2026: $2.95 per GPU and hour (source)"
  std::optional<double> power_w;  // of all GPUs; nullopt: unknown
  std::string power_text;         // its definition
  bool energy_counted = true;     // false: purchased, but power or its price was not given
};

// kInvalidArgument or kNotFound with a sentence that names the inputs.
Result<CostCase> ResolveCase(const Catalog& catalog, const CaseInput& input,
                             const SharedInput& shared);

// The ranges of the shared inputs: years, utilization, nodes and the owner's costs.
Status CheckShared(const SharedInput& shared);

// kInvalidArgument when two speeds are not at one latency target and workload.
Status CheckEqualTarget(const SpeedResult& a, const SpeedResult& b);

}  // namespace glint::plan
