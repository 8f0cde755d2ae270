// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"

namespace glint::plan {
namespace {

std::string OrUnknown(const std::string& text) { return text.empty() ? "not given" : text; }

std::vector<double> BillYears(const SharedInput& shared) {
  std::set<double> years{shared.years, 3, 5};
  return {years.begin(), years.end()};
}

std::string Years(double years) { return format("{:g} years", years); }

// What was priced: every fact that a figure depends on.
void AddFacts(const CostCase& cost, const SharedInput& shared, ReportSection& section) {
  const SpeedResult& speed = cost.speed;
  auto& facts = section.facts;
  facts.emplace_back("speed", format("{:g} output tok/s, {}", speed.output_tok_per_s, speed.title));
  if (!speed.machine.empty()) {
    facts.emplace_back("machine", format("{} x {}", speed.gpus, speed.machine));
  }
  if (!speed.model.empty()) {
    facts.emplace_back("model",
                       format("{}, precision: {}", speed.model, OrUnknown(speed.precision)));
  }
  facts.emplace_back("workload", OrUnknown(speed.workload));
  facts.emplace_back("latency target", OrUnknown(speed.latency_target));
  if (!speed.origin.source.empty()) {
    facts.emplace_back("source", format("{} ({})", speed.origin.source, speed.origin.date));
  }
  if (!speed.origin.note.empty()) facts.emplace_back("note", speed.origin.note);
  facts.emplace_back("price", cost.price_text);
  facts.emplace_back("power", cost.power_w ? format("{:g} W, {}, PUE {:g}", *cost.power_w,
                                                    cost.power_text, shared.pue)
                                           : "not given");
  if (shared.utilization < 1) {
    facts.emplace_back("in use", format("{:g} of the hours", shared.utilization));
  }
  // One line for each: the accuracy belongs to this precision's speed.
  if (speed.accuracy.empty()) facts.emplace_back("accuracy", "none was given with this speed");
  for (const std::string& line : speed.accuracy) facts.emplace_back("accuracy", line);
}

std::string MaybeMoney(const Money& money, const std::optional<double>& usd) {
  return usd ? money.Text(*usd) : "not known";
}

ReportTable TokenTable(const std::vector<const CostAnswer*>& answers,
                       const std::vector<std::string>& names, const Money& money) {
  ReportTable table{.name = "what a token costs"};
  table.header = {""};
  table.header.insert(table.header.end(), names.begin(), names.end());
  const auto add = [&](const char* name, auto cell) {
    std::vector<std::string> row{name};
    for (const CostAnswer* answer : answers) row.push_back(cell(*answer));
    table.rows.push_back(std::move(row));
  };
  const auto figure = [](const std::optional<double>& value, const char* unit) {
    return value ? format("{:.4g} {}", *value, unit) : std::string("not known");
  };
  add("per hour", [&](const CostAnswer& a) { return money.Text(a.usd_per_hour); });
  add("per million output tokens",
      [&](const CostAnswer& a) { return money.Text(a.usd_per_million_output); });
  add("per billion output tokens",
      [&](const CostAnswer& a) { return money.Text(a.tco_per_billion); });
  add("per million tokens in and out",
      [&](const CostAnswer& a) { return MaybeMoney(money, a.usd_per_million_total); });
  add("per million uncached input tokens",
      [&](const CostAnswer& a) { return MaybeMoney(money, a.usd_per_million_uncached_input); });
  add("output tok/s per MW", [&](const CostAnswer& a) {
    return a.tok_s_per_megawatt ? WithThousands(std::llround(*a.tok_s_per_megawatt))
                                : std::string("not known");
  });
  add("energy per output token",
      [&](const CostAnswer& a) { return figure(a.joules_per_token, "J"); });
  return table;
}

constexpr const char* kOneBill =
    "The costs per output, total and input token are views of one bill: they must not be added.";

Result<ReportTable> BillTable(const CostCase& cost, const SharedInput& shared, const Money& money) {
  ReportTable table{.name = "total cost of ownership"};
  table.header = {""};
  std::vector<CostAnswer> answers;
  for (const double years : BillYears(shared)) {
    table.header.push_back(Years(years));
    GLINT_ASSIGN(CostAnswer answer, AnswerCase(cost, shared, years));
    answers.push_back(answer);
  }
  const auto add = [&](const std::string& name, auto value, bool always) {
    std::vector<std::string> row{name};
    bool any = always;
    for (const CostAnswer& answer : answers) {
      any = any || value(answer) != 0;
      row.push_back(money.Text(value(answer)));
    }
    if (any) table.rows.push_back(std::move(row));
  };
  add("rent", [](const CostAnswer& a) { return a.rent; }, false);
  add("purchase", [](const CostAnswer& a) { return a.bill.purchase; }, cost.purchased);
  add("interest", [](const CostAnswer& a) { return a.bill.interest; }, false);
  add("energy", [](const CostAnswer& a) { return a.bill.energy; }, cost.purchased);
  add("cooling", [](const CostAnswer& a) { return a.bill.cooling; }, false);
  add("rack", [](const CostAnswer& a) { return a.bill.rack; }, false);
  add("staff", [](const CostAnswer& a) { return a.bill.staff; }, false);
  add("total", [](const CostAnswer& a) { return a.tco; }, true);
  if (shared.nodes > 1) {
    const auto nodes = static_cast<double>(shared.nodes);
    add(
        format("total of {} nodes", shared.nodes),
        [nodes](const CostAnswer& a) { return a.tco * nodes; }, true);
  }
  add("per billion output tokens", [](const CostAnswer& a) { return a.tco_per_billion; }, true);
  return table;
}

BarChart BillBars(const CostAnswer& answer, const std::string& title, const Money& money) {
  BarChart chart{.title = title};
  const auto add = [&](const char* label, double usd) {
    if (usd > 0) chart.bars.push_back({label, usd, money.Text(usd)});
  };
  add("rent", answer.rent);
  add("purchase", answer.bill.purchase);
  add("interest", answer.bill.interest);
  add("energy", answer.bill.energy);
  add("cooling", answer.bill.cooling);
  add("rack", answer.bill.rack);
  add("staff", answer.bill.staff);
  return chart;
}

// Cost of a token against the price of an hour: a straight line for a speed.
ChartSeries PriceLine(const std::string& name, double tok_per_s, double most_per_hour,
                      const SharedInput& shared, const Money& money) {
  ChartSeries line{.name = name, .marks = false};
  for (const double price : {0.0, most_per_hour}) {
    line.points.emplace_back(money.Convert(price),
                             money.Convert(PerMillionTokens(price, tok_per_s, shared.utilization)));
  }
  return line;
}

XyChart PriceChart(const CostCase& a, const CostCase& b, const CostComparison& result,
                   const SharedInput& shared, const Money& money) {
  const double most = 1.25 * std::max(result.a.usd_per_hour, result.b.usd_per_hour);
  XyChart chart{.title = "cost of a million output tokens against the price of an hour",
                .x_label = format("{} per hour, all GPUs of a side", money.code()),
                .y_label = format("{} per million output tokens", money.code())};
  chart.series.push_back(PriceLine("A", a.speed.output_tok_per_s, most, shared, money));
  chart.series.push_back(PriceLine("B", b.speed.output_tok_per_s, most, shared, money));
  const auto point = [&](const char* name, const CostAnswer& answer) {
    chart.series.push_back({.name = name,
                            .points = {{money.Convert(answer.usd_per_hour),
                                        money.Convert(answer.usd_per_million_output)}},
                            .line = false});
  };
  point("A's price", result.a);
  point("B's price", result.b);
  return chart;
}

ReportTable SensitivityTable(const Sensitivity& sensitivity) {
  ReportTable table{.name = "B's token over A's, when A's price and speed change"};
  table.header = {"A's price"};
  for (const double factor : Sensitivity::kFactors) {
    table.header.push_back(format("speed x {:.1f}", factor));
  }
  for (std::size_t price = 0; price < Sensitivity::kFactors.size(); ++price) {
    std::vector<std::string> row{format("x {:.1f}", Sensitivity::kFactors[price])};
    for (const double ratio : sensitivity.cost_ratio[price]) row.push_back(format("{:.3f}", ratio));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void AddEnergyNote(const CostCase& cost, ReportSection& section) {
  if (cost.purchased && !cost.energy_counted) {
    section.notes.emplace_back(
        "Energy is not counted: it needs the power (power-w, or a machine) and usd-per-kwh.");
  }
}

Json JsonOfBill(const CostAnswer& answer, double years, const CostCase& cost,
                const SharedInput& shared) {
  Json out;
  out.Add("years", years);
  if (cost.purchased) {
    out.Add("purchase_usd", answer.bill.purchase);
    out.Add("interest_usd", answer.bill.interest);
    out.Add("energy_usd", answer.bill.energy);
    out.Add("cooling_usd", answer.bill.cooling);
    out.Add("rack_usd", answer.bill.rack);
    out.Add("staff_usd", answer.bill.staff);
  } else {
    out.Add("rent_usd", answer.rent);
  }
  out.Add("total_usd", answer.tco);
  out.Add("fleet_nodes", shared.nodes);
  out.Add("fleet_usd", answer.tco * static_cast<double>(shared.nodes));
  out.Add("output_tokens", answer.tokens);
  out.Add("usd_per_billion_tokens", answer.tco_per_billion);
  return out;
}

void AddOptional(Json& out, const char* key, const std::optional<double>& value) {
  if (value) out.Add(key, *value);
}

Json JsonOfSpeed(const SpeedResult& speed) {
  Json out;
  out.Add("name", speed.name);
  out.Add("title", speed.title);
  out.Add("machine", speed.machine);
  out.Add("gpus", speed.gpus);
  out.Add("model", speed.model);
  out.Add("precision", speed.precision);
  out.Add("workload", speed.workload);
  out.Add("latency_target", speed.latency_target);
  out.Add("output_tok_per_s", speed.output_tok_per_s);
  AddOptional(out, "input_tok_per_s", speed.input_tok_per_s);
  AddOptional(out, "cached_input_share", speed.cached_input_share);
  Json accuracy(Json::Array{});
  for (const std::string& line : speed.accuracy) accuracy.Append(line);
  out.Add("accuracy", std::move(accuracy));
  out.Add("date", speed.origin.date);
  out.Add("source", speed.origin.source);
  return out;
}

}  // namespace

Result<Report> ReportCase(const CostCase& cost, const SharedInput& shared, const Money& money) {
  GLINT_ASSIGN(const CostAnswer answer, AnswerCase(cost, shared, shared.years));
  Report report{.title = "Cost of a token"};
  ReportSection facts{.heading = "What is priced"};
  AddFacts(cost, shared, facts);
  ReportSection token{.heading = "Per token"};
  token.tables.push_back(TokenTable({&answer}, {Years(shared.years)}, money));
  token.notes.emplace_back(kOneBill);
  ReportSection bill{.heading = "Over the years"};
  GLINT_ASSIGN(ReportTable table, BillTable(cost, shared, money));
  bill.tables.push_back(std::move(table));
  AddEnergyNote(cost, bill);
  bill.bars.push_back(BillBars(answer, format("the bill of {}", Years(shared.years)), money));
  report.sections = {std::move(facts), std::move(token), std::move(bill)};
  return report;
}

Result<Json> JsonOfCase(const CostCase& cost, const SharedInput& shared, const Money& money) {
  GLINT_ASSIGN(const CostAnswer answer, AnswerCase(cost, shared, shared.years));
  Json out;
  out.Add("speed", JsonOfSpeed(cost.speed));
  out.Add("price", cost.price_text);
  out.Add("usd_per_hour", answer.usd_per_hour);
  out.Add("usd_per_million_tokens", answer.usd_per_million_output);
  out.Add("usd_per_billion_tokens", answer.tco_per_billion);
  out.Add("usd_per_million_output_tokens", answer.usd_per_million_output);
  AddOptional(out, "usd_per_million_total_tokens", answer.usd_per_million_total);
  AddOptional(out, "usd_per_million_uncached_input_tokens", answer.usd_per_million_uncached_input);
  out.Add("years", shared.years);
  out.Add("hours", kHoursPerYear * shared.years);
  out.Add("utilization", shared.utilization);
  out.Add("tco_usd", answer.tco);
  Json bills(Json::Array{});
  for (const double years : BillYears(shared)) {
    GLINT_ASSIGN(const CostAnswer of_years, AnswerCase(cost, shared, years));
    bills.Append(JsonOfBill(of_years, years, cost, shared));
  }
  out.Add("tco", std::move(bills));
  if (cost.purchased) out.Add("energy_counted", cost.energy_counted);
  if (cost.power_w) {
    out.Add("power_w", *cost.power_w);
    out.Add("power", cost.power_text);
    out.Add("pue", shared.pue);
  }
  AddOptional(out, "tok_s_per_megawatt", answer.tok_s_per_megawatt);
  AddOptional(out, "joules_per_token", answer.joules_per_token);
  if (!money.is_usd()) {
    Json currency;
    currency.Add("code", money.code());
    currency.Add("per_usd", money.per_usd());
    currency.Add("per_million_tokens", money.Convert(answer.usd_per_million_output));
    currency.Add("tco", money.Convert(answer.tco));
    out.Add("currency", std::move(currency));
  }
  return out;
}

Result<Report> ReportComparison(const CostCase& a, const CostCase& b, const SharedInput& shared,
                                const Money& money) {
  GLINT_ASSIGN(const CostComparison result, CompareCases(a, b, shared));
  Report report{.title = "Cost of a token, A against B"};
  ReportSection facts_a{.heading = "A"};
  AddFacts(a, shared, facts_a);
  AddEnergyNote(a, facts_a);
  ReportSection facts_b{.heading = "B"};
  AddFacts(b, shared, facts_b);
  AddEnergyNote(b, facts_b);
  ReportSection token{.heading = "A against B"};
  token.tables.push_back(TokenTable({&result.a, &result.b}, {"A", "B"}, money));
  token.notes.emplace_back(kOneBill);
  token.notes.push_back(format("B's token costs {:.3f} times A's.", result.cost_ratio));
  token.notes.push_back(
      format("Break-even: a token costs the same when B's hour costs {:.3f} times A's; it costs "
             "{:.3f} times.",
             result.break_even_ratio, result.price_ratio));
  token.charts.push_back(PriceChart(a, b, result, shared, money));
  ReportSection sensitivity{.heading = "Sensitivity"};
  sensitivity.tables.push_back(SensitivityTable(result.sensitivity));
  ReportSection bill{.heading = "Over the years"};
  for (const auto& [name, side] : {std::pair{"A", &a}, std::pair{"B", &b}}) {
    GLINT_ASSIGN(ReportTable table, BillTable(*side, shared, money));
    table.name = format("{}: {}", name, table.name);
    bill.tables.push_back(std::move(table));
  }
  bill.bars.push_back(BillBars(result.a, format("A: the bill of {}", Years(shared.years)), money));
  bill.bars.push_back(BillBars(result.b, format("B: the bill of {}", Years(shared.years)), money));
  report.sections = {std::move(facts_a), std::move(facts_b), std::move(token),
                     std::move(sensitivity), std::move(bill)};
  return report;
}

Result<Json> JsonOfComparison(const CostCase& a, const CostCase& b, const SharedInput& shared,
                              const Money& money) {
  GLINT_ASSIGN(const CostComparison result, CompareCases(a, b, shared));
  Json out;
  GLINT_ASSIGN(Json side_a, JsonOfCase(a, shared, money));
  GLINT_ASSIGN(Json side_b, JsonOfCase(b, shared, money));
  out.Add("a", std::move(side_a));
  out.Add("b", std::move(side_b));
  out.Add("cost_ratio_b_over_a", result.cost_ratio);
  out.Add("price_ratio_b_over_a", result.price_ratio);
  out.Add("break_even_price_ratio", result.break_even_ratio);
  Json table(Json::Array{});
  for (std::size_t price = 0; price < Sensitivity::kFactors.size(); ++price) {
    for (std::size_t speed = 0; speed < Sensitivity::kFactors.size(); ++speed) {
      Json cell;
      cell.Add("a_price_factor", Sensitivity::kFactors[price]);
      cell.Add("a_speed_factor", Sensitivity::kFactors[speed]);
      cell.Add("cost_ratio_b_over_a", result.sensitivity.cost_ratio[price][speed]);
      table.Append(std::move(cell));
    }
  }
  out.Add("sensitivity", std::move(table));
  return out;
}

}  // namespace glint::plan
