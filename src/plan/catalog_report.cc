// SPDX-License-Identifier: Apache-2.0
// What the catalogue holds, as a report and as JSON.
#include "base/format.h"
#include "plan/cost_report.h"

namespace glint::plan {
namespace {

std::string Optional(const std::optional<double>& value) {
  return value ? format("{:g}", *value) : "-";
}

std::string PowerText(const Machine& machine, PowerDefinition definition) {
  const PowerFigure* figure = FindPower(machine, definition);
  return figure == nullptr ? "-" : format("{:g}", figure->kw_per_gpu);
}

ReportTable MachineTable(const Catalog& catalog) {
  ReportTable table{
      .name = "per GPU, dense",
      .header = {"machine", "GB", "TB/s", "bf16 TF", "fp8 TF", "fp4 TF", "scale-up GB/s",
                 "GPUs/node", "chip kW", "all-in kW", "facility kW", "date"}};
  for (const Machine& m : catalog.machines) {
    table.rows.push_back({m.name, format("{:g}", m.memory_gb), format("{:g}", m.memory_tb_per_s),
                          format("{:g}", m.bf16_tflops), format("{:g}", m.fp8_tflops),
                          Optional(m.fp4_tflops), Optional(m.scale_up_gb_per_s),
                          format("{}", m.gpus_per_node), PowerText(m, PowerDefinition::kChip),
                          PowerText(m, PowerDefinition::kAllIn),
                          PowerText(m, PowerDefinition::kFacility), m.origin.date});
  }
  return table;
}

Json JsonOfOrigin(const Origin& origin) {
  Json out;
  out.Add("date", origin.date);
  out.Add("source", origin.source);
  out.Add("note", origin.note);
  return out;
}

Json JsonOfMachine(const Machine& machine) {
  Json out;
  out.Add("name", machine.name);
  out.Add("title", machine.title);
  out.Add("gpus_per_node", machine.gpus_per_node);
  out.Add("domain_gpus", machine.domain_gpus);
  out.Add("memory_gb", machine.memory_gb);
  out.Add("memory_tb_per_s", machine.memory_tb_per_s);
  out.Add("bf16_tflops", machine.bf16_tflops);
  out.Add("fp8_tflops", machine.fp8_tflops);
  if (machine.fp4_tflops) out.Add("fp4_tflops", *machine.fp4_tflops);
  if (machine.scale_up_gb_per_s) out.Add("scale_up_gb_per_s", *machine.scale_up_gb_per_s);
  Json power(Json::Array{});
  for (const PowerFigure& figure : machine.power) {
    Json one;
    one.Add("definition", PowerDefinitionName(figure.definition));
    one.Add("kw_per_gpu", figure.kw_per_gpu);
    one.Add("origin", JsonOfOrigin(figure.origin));
    power.Append(std::move(one));
  }
  out.Add("power", std::move(power));
  out.Add("origin", JsonOfOrigin(machine.origin));
  return out;
}

}  // namespace

Report ReportCatalog(const Catalog& catalog) {
  Report report{.title = "Catalogue of glint cost"};
  ReportSection machines{.heading = "Machines"};
  machines.tables.push_back(MachineTable(catalog));
  ReportSection prices{.heading = "Price books, USD per GPU and hour"};
  ReportTable books{.header = {"book", "basis", "date", "prices", "source"}};
  for (const PriceBook& book : catalog.price_books) {
    std::string list;
    for (const auto& [machine, price] : book.usd_per_gpu_hour) {
      list += format("{}{} {:.2f}", list.empty() ? "" : ", ", machine, price);
    }
    books.rows.push_back(
        {book.name, PriceBasisName(book.basis), book.origin.date, list, book.origin.source});
  }
  prices.tables.push_back(std::move(books));
  ReportSection speeds{.heading = "Speeds"};
  ReportTable results{
      .header = {"result", "machine", "output tok/s", "workload", "latency target", "source"}};
  for (const SpeedResult& result : catalog.results) {
    results.rows.push_back({result.name, format("{} x {}", result.gpus, result.machine),
                            format("{:g}", result.output_tok_per_s), result.workload,
                            result.latency_target, result.origin.source});
  }
  speeds.tables.push_back(std::move(results));
  ReportSection presets{.heading = "Presets"};
  presets.notes.emplace_back("hardware-tco: purchase + (power + cooling) x years");
  for (const Comparison& comparison : catalog.comparisons) {
    presets.notes.push_back(format("{}: {}", comparison.name, comparison.title));
  }
  for (const Fleet& fleet : catalog.fleets) {
    presets.notes.push_back(format("{}: {}", fleet.name, fleet.title));
  }
  report.sections = {std::move(machines), std::move(prices), std::move(speeds), std::move(presets)};
  return report;
}

Json JsonOfCatalog(const Catalog& catalog) {
  Json out;
  Json machines(Json::Array{});
  for (const Machine& machine : catalog.machines) machines.Append(JsonOfMachine(machine));
  out.Add("machines", std::move(machines));
  Json books(Json::Array{});
  for (const PriceBook& book : catalog.price_books) {
    Json one;
    one.Add("name", book.name);
    one.Add("title", book.title);
    one.Add("basis", PriceBasisName(book.basis));
    Json prices;
    for (const auto& [machine, price] : book.usd_per_gpu_hour) prices.Add(machine, price);
    one.Add("usd_per_gpu_hour", std::move(prices));
    one.Add("origin", JsonOfOrigin(book.origin));
    books.Append(std::move(one));
  }
  out.Add("price_books", std::move(books));
  Json results(Json::Array{});
  for (const SpeedResult& result : catalog.results) results.Append(result.name);
  out.Add("results", std::move(results));
  return out;
}

}  // namespace glint::plan
