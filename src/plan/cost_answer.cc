// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_answer.h"

#include <cmath>

namespace glint::plan {

Result<CostAnswer> AnswerCase(const CostCase& cost, const SharedInput& shared, double years) {
  const SpeedResult& speed = cost.speed;
  CostAnswer answer;
  if (cost.purchased) {
    answer.bill = OwnershipCost(cost.owned, years);
    answer.tco = answer.bill.total();
  } else {
    answer.rent = RentCost(cost.usd_per_hour, years);
    answer.tco = answer.rent;
  }
  answer.usd_per_hour = answer.tco / (kHoursPerYear * years);
  const auto per_million = [&](double tok_per_s) {
    return PerMillionTokens(answer.usd_per_hour, tok_per_s, shared.utilization);
  };
  answer.usd_per_million_output = per_million(speed.output_tok_per_s);
  if (speed.input_tok_per_s) {
    answer.usd_per_million_total = per_million(speed.output_tok_per_s + *speed.input_tok_per_s);
    const double uncached = *speed.input_tok_per_s * (1 - speed.cached_input_share.value_or(1));
    if (uncached > 0) answer.usd_per_million_uncached_input = per_million(uncached);
  }
  answer.tokens = TokensInYears(speed.output_tok_per_s, years, shared.utilization);
  answer.tco_per_billion = answer.tco / (answer.tokens / 1e9);
  if (cost.power_w) {
    const double drawn_w = *cost.power_w * shared.pue;
    answer.tok_s_per_megawatt = TokPerSPerMegawatt(speed.output_tok_per_s, drawn_w);
    answer.joules_per_token = JoulesPerToken(drawn_w, speed.output_tok_per_s);
  }
  for (const double figure :
       {answer.usd_per_hour, answer.usd_per_million_output, answer.tco, answer.tokens,
        answer.tco_per_billion, answer.usd_per_million_total.value_or(0),
        answer.usd_per_million_uncached_input.value_or(0)}) {
    if (!std::isfinite(figure)) return InvalidArgument("the figures given are too large together");
  }
  return answer;
}

Result<CostComparison> CompareCases(const CostCase& a, const CostCase& b,
                                    const SharedInput& shared) {
  GLINT_TRY(CheckEqualTarget(a.speed, b.speed));
  CostComparison out;
  GLINT_ASSIGN(out.a, AnswerCase(a, shared, shared.years));
  GLINT_ASSIGN(out.b, AnswerCase(b, shared, shared.years));
  if (out.a.usd_per_hour <= 0 || out.b.usd_per_hour <= 0) {
    return InvalidArgument("a side that costs nothing cannot be compared");
  }
  out.cost_ratio = out.b.usd_per_million_output / out.a.usd_per_million_output;
  out.price_ratio = out.b.usd_per_hour / out.a.usd_per_hour;
  out.break_even_ratio = BreakEvenPriceRatio(a.speed.output_tok_per_s, b.speed.output_tok_per_s);
  for (std::size_t price = 0; price < Sensitivity::kFactors.size(); ++price) {
    for (std::size_t speed = 0; speed < Sensitivity::kFactors.size(); ++speed) {
      out.sensitivity.cost_ratio[price][speed] =
          out.cost_ratio / Sensitivity::kFactors[price] * Sensitivity::kFactors[speed];
    }
  }
  return out;
}

}  // namespace glint::plan
