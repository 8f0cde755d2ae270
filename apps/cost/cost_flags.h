// SPDX-License-Identifier: Apache-2.0
// The flags of `glint cost`: side A, side B under --b-..., what both share, and the form of the
// answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/flags.h"
#include "plan/cost_case.h"

namespace glint {

struct CostFlags {
  plan::CaseInput a{.flag_prefix = "--"};
  plan::CaseInput b{.flag_prefix = "--b-"};
  plan::SharedInput shared;
  std::string currency = "USD";
  double currency_per_usd = 1;
  std::string preset;
  std::optional<double> cards_per_node;
  std::optional<double> price_per_kwh;
  std::string catalog;
  bool list = false;
  bool json = false;
  bool csv = false;
  std::string html;

  void Visit(FlagVisitor& visitor);
  [[nodiscard]] bool has_b() const;
};

}  // namespace glint
