// SPDX-License-Identifier: Apache-2.0
#include "plan/cost_case.h"

#include <cmath>

#include "base/format.h"
#include "plan/bench_result.h"

namespace glint::plan {
namespace {

Result<SpeedResult> FindSpeed(const Catalog& catalog, const CaseInput& input,
                              const LatencyTarget& target) {
  if (const auto known = catalog.FindResult(input.result); known.ok()) {
    if (target.key.empty()) return *known.value();
    return ChoosePoint({*known.value()}, target, input.result);
  }
  const bool file = input.result.find_first_of("/.") != std::string::npos;
  if (!file) return catalog.FindResult(input.result).error();
  GLINT_ASSIGN(const auto points, ReadBenchResults(input.result));
  return ChoosePoint(points, target, input.result);
}

// What was said about a result's machine must agree with what it is of.
Status JoinMachine(const CaseInput& input, SpeedResult& speed) {
  if (!input.machine.empty()) {
    if (!speed.machine.empty() && speed.machine != input.machine) {
      return InvalidArgument(
          format("{0}result {1} was made by {2}: {0}machine {3} cannot be given to it",
                 input.flag_prefix, Quoted(speed.name), speed.machine, Quoted(input.machine)));
    }
    speed.machine = input.machine;
  }
  if (input.gpus != 0) {
    if (speed.gpus != 0 && speed.gpus != input.gpus) {
      return InvalidArgument(format("{0}result {1} was made by {2} GPUs, not {0}gpus {3}",
                                    input.flag_prefix, Quoted(speed.name), speed.gpus, input.gpus));
    }
    speed.gpus = input.gpus;
  }
  return Ok();
}

Result<SpeedResult> ResolveSpeed(const Catalog& catalog, const CaseInput& input,
                                 const SharedInput& shared) {
  const std::string& dash = input.flag_prefix;
  if (input.gpus < 0 || input.gpus > 1'000'000) {
    return InvalidArgument(format("{}gpus is {}, must be 1 to 1000000", dash, input.gpus));
  }
  if (input.result.empty() == !input.tok_s.has_value()) {
    return InvalidArgument(format("give one of {0}tok-s and {0}result", dash));
  }
  GLINT_ASSIGN(const LatencyTarget target, ParseLatencyTarget(shared.latency));
  SpeedResult speed;
  if (input.tok_s) {
    if (!target.key.empty()) {
      return InvalidArgument(format("--latency needs {0}result: a bare {0}tok-s has none", dash));
    }
    speed.name = format("{} tok/s", *input.tok_s);
    speed.title = format("{} tok/s as given", *input.tok_s);
    speed.output_tok_per_s = *input.tok_s;
    speed.input_tok_per_s = input.input_tok_s;
    speed.cached_input_share = input.cached_share;
  } else {
    GLINT_ASSIGN(speed, FindSpeed(catalog, input, target));
    if (input.input_tok_s) {
      return InvalidArgument(format("{0}input-tok-s goes with {0}tok-s, not {0}result", dash));
    }
    if (input.cached_share) speed.cached_input_share = input.cached_share;
  }
  GLINT_TRY(CheckRate(speed.output_tok_per_s, "tok-s"));
  if (speed.input_tok_per_s) GLINT_TRY(CheckRate(*speed.input_tok_per_s, "input-tok-s"));
  if (speed.cached_input_share &&
      !(*speed.cached_input_share >= 0 && *speed.cached_input_share <= 1)) {
    return InvalidArgument(
        format("{}cached-share is {}, must be 0 to 1", dash, *speed.cached_input_share));
  }
  GLINT_TRY(JoinMachine(input, speed));
  if (!input.accuracy.empty()) speed.accuracy = {input.accuracy};
  return speed;
}

Status PriceFromBook(const Catalog& catalog, const CaseInput& input, CostCase& out) {
  const std::string& dash = input.flag_prefix;
  const std::size_t colon = input.price.find(':');
  GLINT_ASSIGN(const PriceBook* book, catalog.FindPriceBook(input.price.substr(0, colon)));
  const std::string& machine = out.speed.machine;
  if (machine.empty()) {
    return InvalidArgument(
        format("{0}price {1} needs to know whose speed it is: give {0}machine", dash, book->name));
  }
  if (colon != std::string::npos && input.price.substr(colon + 1) != machine) {
    return InvalidArgument(
        format("refused: {}price {} is the price of {}, and {} is the speed of {}", dash,
               Quoted(input.price), Quoted(input.price.substr(colon + 1)), Quoted(out.speed.name),
               machine));
  }
  const auto price = book->usd_per_gpu_hour.find(machine);
  if (price == book->usd_per_gpu_hour.end()) {
    return NotFound(format("price book {} has no price of {}", book->name, machine));
  }
  if (out.speed.gpus == 0) return InvalidArgument(format("{0}price needs {0}gpus", dash));
  out.usd_per_hour = price->second * static_cast<double>(out.speed.gpus);
  out.price_text = format("{}, {} ({}): ${:.2f} per GPU and hour; {}", PriceBasisName(book->basis),
                          book->title, book->origin.date, price->second, book->origin.source);
  if (!book->origin.note.empty()) out.price_text += format("; {}", book->origin.note);
  return Ok();
}

Status ResolvePower(const Catalog& catalog, const CaseInput& input, const SharedInput& shared,
                    CostCase& out) {
  const auto definition = FindPowerDefinition(input.power);
  if (!definition) {
    return InvalidArgument(format("{}power is {}, must be chip, all-in or facility",
                                  input.flag_prefix, Quoted(input.power)));
  }
  if (*definition == PowerDefinition::kFacility && shared.pue != 1) {
    return InvalidArgument("power facility includes the building: --pue must be 1 with it");
  }
  if (input.power_w) {
    if (!(*input.power_w > 0 && *input.power_w <= 1e9)) {
      return InvalidArgument(
          format("{}power-w is {}, must be above 0 to 1e9", input.flag_prefix, *input.power_w));
    }
    out.power_w = input.power_w;
    out.power_text = "as given";
    return Ok();
  }
  if (out.speed.machine.empty() || out.speed.gpus == 0) return Ok();
  GLINT_ASSIGN(const Machine* machine, catalog.FindMachine(out.speed.machine));
  const PowerFigure* figure = FindPower(*machine, *definition);
  if (figure == nullptr) return Ok();
  out.power_w = figure->kw_per_gpu * 1000 * static_cast<double>(out.speed.gpus);
  out.power_text = format("{} {} kW per GPU ({}; {})", PowerDefinitionName(*definition),
                          figure->kw_per_gpu, figure->origin.date, figure->origin.source);
  return Ok();
}

Status ResolvePrice(const Catalog& catalog, const CaseInput& input, const SharedInput& shared,
                    CostCase& out) {
  const std::string& dash = input.flag_prefix;
  const int given = static_cast<int>(!input.price.empty()) +
                    static_cast<int>(input.usd_per_gpu_hour.has_value()) +
                    static_cast<int>(input.purchase_usd.has_value());
  if (given != 1) {
    return InvalidArgument(
        format("give one of {0}purchase-usd, {0}usd-per-gpu-hour and {0}price", dash));
  }
  if (!input.price.empty()) return PriceFromBook(catalog, input, out);
  if (input.usd_per_gpu_hour) {
    GLINT_TRY(CheckRate(*input.usd_per_gpu_hour, "usd-per-gpu-hour"));
    const std::int64_t gpus = out.speed.gpus == 0 ? 1 : out.speed.gpus;
    out.usd_per_hour = *input.usd_per_gpu_hour * static_cast<double>(gpus);
    out.price_text =
        out.speed.gpus == 0
            ? format("as given: ${} per hour of all that made the speed", *input.usd_per_gpu_hour)
            : format("as given: ${} per GPU and hour, {} GPU{}", *input.usd_per_gpu_hour, gpus,
                     gpus == 1 ? "" : "s");
    return Ok();
  }
  out.purchased = true;
  out.energy_counted = out.power_w.has_value() && shared.usd_per_kwh.has_value();
  out.owned = {.purchase = *input.purchase_usd,
               .power_w = out.energy_counted ? *out.power_w : 0,
               .pue = shared.pue,
               .per_kwh = shared.usd_per_kwh.value_or(0),
               .cooling_per_year = shared.cooling_usd_per_year,
               .rack_per_year = shared.rack_usd_per_year,
               .staff_per_year = shared.staff_usd_per_year,
               .interest_per_year = shared.interest};
  out.price_text = format("owned, purchase as given, over {} years", shared.years);
  return CheckOwned(out.owned, shared.years);
}

}  // namespace

Status CheckShared(const SharedInput& shared) {
  GLINT_TRY(CheckOwned({.pue = shared.pue,
                        .per_kwh = shared.usd_per_kwh.value_or(0),
                        .cooling_per_year = shared.cooling_usd_per_year,
                        .rack_per_year = shared.rack_usd_per_year,
                        .staff_per_year = shared.staff_usd_per_year,
                        .interest_per_year = shared.interest},
                       shared.years));
  if (!(shared.utilization >= 1e-6 && shared.utilization <= 1)) {
    return InvalidArgument(
        format("utilization is {}, must be above 0 and at most 1", shared.utilization));
  }
  if (shared.nodes < 1 || shared.nodes > 10'000'000) {
    return InvalidArgument(format("nodes is {}, must be 1 to 10000000", shared.nodes));
  }
  return Ok();
}

Result<CostCase> ResolveCase(const Catalog& catalog, const CaseInput& input,
                             const SharedInput& shared) {
  GLINT_TRY(CheckShared(shared));
  CostCase out;
  GLINT_ASSIGN(out.speed, ResolveSpeed(catalog, input, shared));
  if (!out.speed.machine.empty()) {
    GLINT_ASSIGN(const Machine* machine, catalog.FindMachine(out.speed.machine));
    // A bare speed of a machine is that of a node; a result file has to say.
    if (out.speed.gpus == 0 && input.tok_s) out.speed.gpus = machine->gpus_per_node;
  }
  GLINT_TRY(ResolvePower(catalog, input, shared, out));
  GLINT_TRY(ResolvePrice(catalog, input, shared, out));
  return out;
}

Status CheckEqualTarget(const SpeedResult& a, const SpeedResult& b) {
  if (a.latency_target != b.latency_target) {
    return InvalidArgument(format(
        "refused: {} is at latency target {} and {} at {}; --latency KEY_ms=LIMIT picks equal "
        "points of two files",
        Quoted(a.name), Quoted(a.latency_target), Quoted(b.name), Quoted(b.latency_target)));
  }
  if (a.workload != b.workload) {
    return InvalidArgument(format("refused: the workload of {} is {}, that of {} is {}",
                                  Quoted(a.name), Quoted(a.workload), Quoted(b.name),
                                  Quoted(b.workload)));
  }
  return Ok();
}

}  // namespace glint::plan
