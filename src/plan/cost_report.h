// SPDX-License-Identifier: Apache-2.0
// The answers of `glint cost` as a report (text, CSV, HTML) and as JSON.
#pragma once

#include "base/json.h"
#include "base/report.h"
#include "plan/catalog.h"
#include "plan/cost_answer.h"
#include "plan/cost_case.h"
#include "plan/money.h"

namespace glint::plan {

// One case: per token, and the bill of `shared.years`, 3 and 5 years, for one unit and the fleet.
Result<Report> ReportCase(const CostCase& cost, const SharedInput& shared, const Money& money);
// Keys usd_per_million_tokens, usd_per_billion_tokens (of output tokens), tco_usd, tco and others.
Result<Json> JsonOfCase(const CostCase& cost, const SharedInput& shared, const Money& money);

// A against B: both bills, ratio, break-even, sensitivity.
Result<Report> ReportComparison(const CostCase& a, const CostCase& b, const SharedInput& shared,
                                const Money& money);
Result<Json> JsonOfComparison(const CostCase& a, const CostCase& b, const SharedInput& shared,
                              const Money& money);

// What the catalogue holds.
Report ReportCatalog(const Catalog& catalog);
Json JsonOfCatalog(const Catalog& catalog);

}  // namespace glint::plan
