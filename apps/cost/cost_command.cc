// SPDX-License-Identifier: Apache-2.0
#include "apps/cost/cost_command.h"

#include <cstdio>
#include <fstream>

#include "apps/cost/cost_flags.h"
#include "apps/version.h"
#include "base/format.h"
#include "base/log.h"
#include "base/report.h"
#include "plan/catalog_parser.h"
#include "plan/cost_presets.h"
#include "plan/cost_report.h"

namespace glint {
namespace {

std::vector<std::string> SplitNames(const std::string& list) {
  std::vector<std::string> names;
  std::size_t at = 0;
  while (at < list.size()) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) names.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

Result<plan::PresetAnswer> AnswerPreset(const CostFlags& flags, const plan::Catalog& catalog,
                                        const plan::Money& money) {
  if (flags.preset == "hardware-tco") {
    std::vector<plan::CaseInput> sides{flags.a};
    if (flags.has_b()) sides.push_back(flags.b);
    return plan::HardwareTco(sides, flags.shared, money);
  }
  if (const auto comparison = catalog.FindComparison(flags.preset); comparison.ok()) {
    return plan::ComparePricePairs(catalog, *comparison.value(), flags.shared);
  }
  const auto fleet = catalog.FindFleet(flags.preset);
  if (!fleet.ok()) {
    return NotFound(format("no preset is named {}: --list shows them", Quoted(flags.preset)));
  }
  return plan::PriceFleet(*fleet.value(), {.cards_per_node = flags.cards_per_node,
                                           .price_per_kwh = flags.price_per_kwh});
}

Result<plan::PresetAnswer> Answer(const CostFlags& flags) {
  GLINT_TRY(plan::CheckShared(flags.shared));
  GLINT_ASSIGN(const plan::Catalog catalog, plan::LoadCatalog(SplitNames(flags.catalog)));
  GLINT_ASSIGN(const plan::Money money,
               plan::Money::Create(flags.currency, flags.currency_per_usd));
  if (flags.list) {
    return plan::PresetAnswer{plan::ReportCatalog(catalog), plan::JsonOfCatalog(catalog)};
  }
  if (!flags.preset.empty()) return AnswerPreset(flags, catalog, money);
  GLINT_ASSIGN(const plan::CostCase a, plan::ResolveCase(catalog, flags.a, flags.shared));
  plan::PresetAnswer answer;
  if (flags.has_b()) {
    GLINT_ASSIGN(const plan::CostCase b, plan::ResolveCase(catalog, flags.b, flags.shared));
    GLINT_ASSIGN(answer.report, plan::ReportComparison(a, b, flags.shared, money));
    GLINT_ASSIGN(answer.json, plan::JsonOfComparison(a, b, flags.shared, money));
    return answer;
  }
  GLINT_ASSIGN(answer.report, plan::ReportCase(a, flags.shared, money));
  GLINT_ASSIGN(answer.json, plan::JsonOfCase(a, flags.shared, money));
  return answer;
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) LogError(format("{}: cannot be written", path));
  return static_cast<bool>(file);
}

}  // namespace

int RunCost(const std::vector<std::string>& arguments) {
  CostFlags flags;
  const CommandText text{
      .name = "glint cost",
      .summary = "Says what a token costs: from a speed, and a purchase or an hourly price.",
      .examples =
          "  glint cost --tok-s 2626 --purchase-usd 15000 --years 3 --power-w 600 --usd-per-kwh "
          "0.10\n"
          "  glint cost --result wafer-mi355x --price tensorwave-2026-07 --b-result wafer-b200 "
          "--b-price hyperstack-2026-07\n"
          "  glint cost --preset half-the-cost --html cost.html\n"
          "  glint cost --list"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  if (arguments.empty() || (flags.json && flags.csv)) {
    std::fputs(arguments.empty()
                   ? "glint cost: give a speed and a price, or a --preset; see --help\n"
                   : "glint cost: give one of --json and --csv\n",
               stderr);
    return 2;
  }
  auto answer = Answer(flags);
  if (!answer.ok()) {
    LogError(answer.error().message);
    return 1;
  }
  plan::PresetAnswer& found = answer.value();
  found.report.subtitle = format("glint {}", Version());
  if (!flags.html.empty() && !WriteFile(flags.html, WriteReportHtml(found.report))) return 1;
  const std::string out = flags.json  ? found.json.WriteIndented() + "\n"
                          : flags.csv ? WriteReportCsv(found.report)
                                      : WriteReportText(found.report);
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace glint
