// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_presets.h"

#include <cmath>

#include "base/format.h"
#include "plan/cost_answer.h"
#include "plan/cost_model.h"

namespace glint::plan {
namespace {

void AddAccuracy(const SpeedResult& speed, ReportSection& section, Json& json) {
  Json lines(Json::Array{});
  for (const std::string& line : speed.accuracy) {
    section.notes.push_back(format("accuracy of {}: {}", speed.name, line));
    lines.Append(line);
  }
  if (speed.accuracy.empty()) {
    section.notes.push_back(
        format("accuracy of {}: none was given (precision: {})", speed.name, speed.precision));
  }
  json.Add(format("accuracy_{}", speed.name), std::move(lines));
}

Result<CostCase> CaseOfBook(const Catalog& catalog, const std::string& result,
                            const std::string& book, const SharedInput& shared) {
  return ResolveCase(catalog, {.result = result, .price = book, .flag_prefix = "--"}, shared);
}

struct FleetRow {
  double cards = 0;
  double purchase = 0;
  double energy = 0;
};

// The hours x price x cards that a circulating energy figure stands for, read both ways.
void TakeApart(const Fleet& fleet, const Fleet::Card& card, const FleetInput& input,
               ReportTable& table, Json& json) {
  const double per_watt = *card.circulating_energy_cost / card.power_w;
  const double product = ImpliedHoursPriceCards(*card.circulating_energy_cost, card.power_w);
  const double hours = kHoursPerYear * fleet.years;
  json.Add("circulating_energy_cost", *card.circulating_energy_cost);
  json.Add("circulating_per_watt", per_watt);
  json.Add("implied_hours_x_price_x_cards", product);
  json.Add("implied_price_x_cards", product / hours);
  std::vector<std::string> row{card.name, AmountText(fleet.currency, *card.circulating_energy_cost),
                               format("{:g}", per_watt), format("{:g}", product),
                               format("{:.4f}", product / hours)};
  if (input.cards_per_node) {
    const double one_node = product / hours / *input.cards_per_node;
    const double all_nodes = one_node / static_cast<double>(fleet.nodes);
    json.Add("implied_price_per_kwh_if_one_node", one_node);
    json.Add("implied_price_per_kwh_if_fleet", all_nodes);
    row.push_back(format("{:.4f}", one_node));
    row.push_back(format("{:.6f}", all_nodes));
  }
  table.rows.push_back(std::move(row));
}

Result<FleetRow> RowOf(const Fleet& fleet, const Fleet::Card& card, const FleetInput& input) {
  FleetRow row;
  row.cards = static_cast<double>(fleet.nodes) * input.cards_per_node.value_or(1);
  const OwnershipBill bill = OwnershipCost({.purchase = card.price * row.cards,
                                            .power_w = card.power_w * row.cards,
                                            .per_kwh = input.price_per_kwh.value_or(0)},
                                           fleet.years);
  row.purchase = bill.purchase;
  row.energy = bill.energy;
  if (!std::isfinite(bill.total())) {
    return InvalidArgument("the fleet's figures are too large together");
  }
  return row;
}

Status CheckFleet(const FleetInput& input) {
  if (input.cards_per_node && !(*input.cards_per_node >= 1 && *input.cards_per_node <= 1024 &&
                                *input.cards_per_node == std::floor(*input.cards_per_node))) {
    return InvalidArgument(format("cards-per-node is {}, must be a whole number from 1 to 1024",
                                  *input.cards_per_node));
  }
  if (input.price_per_kwh && !(*input.price_per_kwh >= 0 && *input.price_per_kwh <= 1e6)) {
    return InvalidArgument(format("price-per-kwh is {}, must be 0 to 1e6", *input.price_per_kwh));
  }
  return Ok();
}

// One machine of the plain hardware sum.
struct HardwareRow {
  OwnedCosts costs;
  OwnershipBill bill;
  std::optional<double> tok_per_s;
};

Result<HardwareRow> HardwareOf(const CaseInput& side, const SharedInput& shared) {
  const std::string& dash = side.flag_prefix;
  if (!side.purchase_usd || !side.power_w || !shared.usd_per_kwh) {
    return InvalidArgument(
        format("preset hardware-tco needs {0}purchase-usd, {0}power-w and --usd-per-kwh", dash));
  }
  if (!side.result.empty() || !side.price.empty() || side.usd_per_gpu_hour) {
    return InvalidArgument("preset hardware-tco takes no result, price book or hourly price");
  }
  HardwareRow row;
  row.costs = {.purchase = *side.purchase_usd,
               .power_w = *side.power_w,
               .pue = shared.pue,
               .per_kwh = *shared.usd_per_kwh,
               .cooling_per_year = shared.cooling_usd_per_year};
  GLINT_TRY(CheckOwned(row.costs, shared.years));
  if (side.tok_s) GLINT_TRY(CheckRate(*side.tok_s, "tok-s"));
  row.tok_per_s = side.tok_s;
  row.bill = OwnershipCost(row.costs, shared.years);
  return row;
}

}  // namespace

Result<PresetAnswer> ComparePricePairs(const Catalog& catalog, const Comparison& comparison,
                                       const SharedInput& shared) {
  GLINT_ASSIGN(const SpeedResult* a, catalog.FindResult(comparison.a));
  GLINT_ASSIGN(const SpeedResult* b, catalog.FindResult(comparison.b));
  PresetAnswer out;
  out.report.title = comparison.title;
  ReportSection section;
  ReportTable table{.header = {"price basis, $/GPU/h A and B",
                               format("{} @{:g}", a->machine, a->output_tok_per_s),
                               format("{} @{:g}", b->machine, b->output_tok_per_s), "B/A"}};
  BarChart bars{.title = "B's token over A's: above 1, A is cheaper"};
  Json rows(Json::Array{});
  double break_even = 0;
  for (const PricePair& pair : comparison.price_pairs) {
    GLINT_ASSIGN(const CostCase side_a, CaseOfBook(catalog, comparison.a, pair.a, shared));
    GLINT_ASSIGN(const CostCase side_b, CaseOfBook(catalog, comparison.b, pair.b, shared));
    GLINT_ASSIGN(const CostComparison result, CompareCases(side_a, side_b, shared));
    GLINT_ASSIGN(const PriceBook* book_a, catalog.FindPriceBook(pair.a));
    GLINT_ASSIGN(const PriceBook* book_b, catalog.FindPriceBook(pair.b));
    break_even = result.break_even_ratio;
    const std::string title =
        pair.a == pair.b ? book_a->title : format("{} / {}", book_a->title, book_b->title);
    const double price_a = side_a.usd_per_hour / static_cast<double>(side_a.speed.gpus);
    const double price_b = side_b.usd_per_hour / static_cast<double>(side_b.speed.gpus);
    table.rows.push_back({format("{} ({:.2f} / {:.2f})", title, price_a, price_b),
                          format("${:.2f}", result.a.usd_per_million_output),
                          format("${:.2f}", result.b.usd_per_million_output),
                          format("{:.2f}x", result.cost_ratio)});
    bars.bars.push_back({title, result.cost_ratio, format("{:.2f}x", result.cost_ratio)});
    Json row;
    row.Add("price_book_a", pair.a);
    row.Add("price_book_b", pair.b);
    row.Add("usd_per_gpu_hour_a", price_a);
    row.Add("usd_per_gpu_hour_b", price_b);
    row.Add("usd_per_million_output_tokens_a", result.a.usd_per_million_output);
    row.Add("usd_per_million_output_tokens_b", result.b.usd_per_million_output);
    row.Add("cost_ratio_b_over_a", result.cost_ratio);
    rows.Append(std::move(row));
  }
  section.tables.push_back(std::move(table));
  section.bars.push_back(std::move(bars));
  out.json.Add("comparison", comparison.name);
  out.json.Add("rows", std::move(rows));
  out.json.Add("break_even_price_ratio", break_even);
  section.notes.push_back(
      format("USD per million output tokens. Break-even: {} at {:.3f} times the price of {}.",
             b->machine, break_even, a->machine));
  section.notes.push_back(
      format("workload: {}; latency target: {}", a->workload, a->latency_target));
  section.notes.push_back(format("speeds: {} ({})", a->origin.source, a->origin.date));
  AddAccuracy(*a, section, out.json);
  AddAccuracy(*b, section, out.json);
  out.report.sections.push_back(std::move(section));
  return out;
}

Result<PresetAnswer> HardwareTco(const std::vector<CaseInput>& sides, const SharedInput& shared,
                                 const Money& money) {
  PresetAnswer out;
  out.report.title = "Hardware: purchase + (power + cooling) x years";
  ReportTable table{.header = {""}};
  Json machines(Json::Array{});
  std::vector<HardwareRow> rows;
  rows.reserve(sides.size());
  for (const CaseInput& side : sides) {
    GLINT_ASSIGN(HardwareRow row, HardwareOf(side, shared));
    table.header.push_back(format("machine {}", rows.size() + 1));
    Json json;
    json.Add("purchase_usd", row.bill.purchase);
    json.Add("power_usd_per_year", row.bill.energy / shared.years);
    json.Add("cooling_usd_per_year", row.costs.cooling_per_year);
    json.Add("years", shared.years);
    json.Add("tco_usd", row.bill.total());
    if (row.tok_per_s) {
      const double tokens = TokensInYears(*row.tok_per_s, shared.years, shared.utilization);
      json.Add("usd_per_million_tokens", row.bill.total() / (tokens / 1e6));
      json.Add("usd_per_billion_tokens", row.bill.total() / (tokens / 1e9));
    }
    machines.Append(std::move(json));
    rows.push_back(row);
  }
  const auto add = [&](const char* name, auto cell) {
    std::vector<std::string> line{name};
    for (const HardwareRow& row : rows) line.push_back(cell(row));
    table.rows.push_back(std::move(line));
  };
  add("purchase", [&](const HardwareRow& r) { return money.Text(r.bill.purchase); });
  add("power a year",
      [&](const HardwareRow& r) { return money.Text(r.bill.energy / shared.years); });
  add("cooling a year", [&](const HardwareRow& r) { return money.Text(r.costs.cooling_per_year); });
  add("years", [&](const HardwareRow&) { return format("{:g}", shared.years); });
  add("total", [&](const HardwareRow& r) { return money.Text(r.bill.total()); });
  add("per billion tokens", [&](const HardwareRow& r) {
    if (!r.tok_per_s) return std::string("no speed given");
    const double tokens = TokensInYears(*r.tok_per_s, shared.years, shared.utilization);
    return money.Text(r.bill.total() / (tokens / 1e9));
  });
  ReportSection section;
  section.tables.push_back(std::move(table));
  section.notes.push_back(format("A year is {:g} h; energy at {} per kWh, PUE {:g}.", kHoursPerYear,
                                 money.Text(shared.usd_per_kwh.value_or(0)), shared.pue));
  out.report.sections.push_back(std::move(section));
  out.json.Add("preset", "hardware-tco");
  out.json.Add("machines", std::move(machines));
  return out;
}

Result<PresetAnswer> PriceFleet(const Fleet& fleet, const FleetInput& input) {
  GLINT_TRY(CheckFleet(input));
  const std::string years = format("{:g} years", fleet.years);
  PresetAnswer out;
  out.report.title = format("Fleet: {}", fleet.title);
  ReportTable bill{.name = "the bill",
                   .header = {"", "cards", "purchase", "energy, " + years, "total"}};
  ReportTable apart{
      .name = "what the circulating energy figures imply",
      .header = {"", "figure", "per W of card", "h x price x cards, per kW", "price x cards"}};
  if (input.cards_per_node) {
    apart.header.emplace_back("price if one node");
    apart.header.push_back(format("price if {} nodes", fleet.nodes));
  }
  Json cards(Json::Array{});
  for (const Fleet::Card& card : fleet.cards) {
    GLINT_ASSIGN(const FleetRow row, RowOf(fleet, card, input));
    Json json;
    json.Add("name", card.name);
    json.Add("price", card.price);
    json.Add("power_w", card.power_w);
    if (input.cards_per_node) {
      json.Add("cards", row.cards);
      json.Add("purchase", row.purchase);
      if (input.price_per_kwh) json.Add("energy", row.energy);
      if (input.price_per_kwh) json.Add("total", row.purchase + row.energy);
      const bool priced = input.price_per_kwh.has_value();
      bill.rows.push_back({card.name, format("{:g}", row.cards),
                           AmountText(fleet.currency, row.purchase),
                           priced ? AmountText(fleet.currency, row.energy) : "needs price-per-kwh",
                           priced ? AmountText(fleet.currency, row.purchase + row.energy) : ""});
    }
    if (card.circulating_energy_cost) TakeApart(fleet, card, input, apart, json);
    cards.Append(std::move(json));
  }
  ReportSection section;
  section.notes.push_back(format("{} nodes, {}, {:g} h; {}; {} ({})", fleet.nodes, years,
                                 kHoursPerYear * fleet.years, fleet.origin.note,
                                 fleet.origin.source, fleet.origin.date));
  if (!input.cards_per_node) {
    section.notes.emplace_back("The bill needs --cards-per-node, its energy --price-per-kwh too.");
  } else {
    section.tables.push_back(std::move(bill));
  }
  if (!apart.rows.empty()) section.tables.push_back(std::move(apart));
  out.report.sections.push_back(std::move(section));
  out.json.Add("preset", fleet.name);
  out.json.Add("currency", fleet.currency);
  out.json.Add("nodes", fleet.nodes);
  out.json.Add("years", fleet.years);
  out.json.Add("hours", kHoursPerYear * fleet.years);
  out.json.Add("cards", std::move(cards));
  return out;
}

}  // namespace glint::plan
