// SPDX-License-Identifier: Apache-2.0
#include "apps/cost/cost_flags.h"

namespace glint {

void CostFlags::Visit(FlagVisitor& v) {
  v.Flag(a.result, "result", "NAME|FILE", "a speed of the catalogue, or a load generator's result");
  v.Flag(a.tok_s, "tok-s", "TOK/S", "output tokens a second of all that is priced");
  v.Flag(a.input_tok_s, "input-tok-s", "TOK/S", "input tokens a second, cached ones too");
  v.Flag(a.cached_share, "cached-share", "0..1", "share of the input that came from a cache");
  v.Flag(a.machine, "machine", "NAME", "whose speed it is: a machine of the catalogue");
  v.Flag(a.gpus, "gpus", "N", "GPUs that made the speed; 0: as the result says, or a node");
  v.Flag(a.price, "price", "BOOK[:MACHINE]", "hourly price from a price book");
  v.Flag(a.usd_per_gpu_hour, "usd-per-gpu-hour", "USD",
         "hourly price as given; without --gpus, of all that made the speed");
  v.Flag(a.purchase_usd, "purchase-usd", "USD", "purchase price of all that made the speed");
  v.Flag(a.power_w, "power-w", "W", "power of all that made the speed");
  v.Flag(a.power, "power", "DEFINITION", "else the machine's: chip, all-in or facility");
  v.Flag(a.accuracy, "accuracy", "TEXT", "the accuracy measured with this speed's precision");
  v.Flag(b.result, "b-result", "NAME|FILE", "side B of a comparison; as for side A:");
  v.Flag(b.tok_s, "b-tok-s", "TOK/S", "");
  v.Flag(b.input_tok_s, "b-input-tok-s", "TOK/S", "");
  v.Flag(b.cached_share, "b-cached-share", "0..1", "");
  v.Flag(b.machine, "b-machine", "NAME", "");
  v.Flag(b.gpus, "b-gpus", "N", "");
  v.Flag(b.price, "b-price", "BOOK[:MACHINE]", "");
  v.Flag(b.usd_per_gpu_hour, "b-usd-per-gpu-hour", "USD", "");
  v.Flag(b.purchase_usd, "b-purchase-usd", "USD", "");
  v.Flag(b.power_w, "b-power-w", "W", "");
  v.Flag(b.power, "b-power", "DEFINITION", "");
  v.Flag(b.accuracy, "b-accuracy", "TEXT", "");
  v.Flag(shared.latency, "latency", "KEY_ms=LIMIT", "price the fastest result that keeps it");
  v.Flag(shared.years, "years", "YEARS", "life of a purchase, term of a bill; a year has 8760 h");
  v.Flag(shared.usd_per_kwh, "usd-per-kwh", "USD", "price of energy, for a purchase");
  v.Flag(shared.pue, "pue", "RATIO", "energy of the building over that of the machines");
  v.Flag(shared.cooling_usd_per_year, "cooling-usd-per-year", "USD", "beside what PUE covers");
  v.Flag(shared.rack_usd_per_year, "rack-usd-per-year", "USD", "rack and network");
  v.Flag(shared.staff_usd_per_year, "staff-usd-per-year", "USD", "people");
  v.Flag(shared.interest, "interest", "0..1", "yearly interest of the purchase as a loan");
  v.Flag(shared.utilization, "utilization", "0..1", "share of the hours in use");
  v.Flag(shared.nodes, "nodes", "N", "size of a fleet of such units");
  v.Flag(currency, "currency", "CODE", "currency of the text; JSON keeps USD beside it");
  v.Flag(currency_per_usd, "currency-per-usd", "RATE", "units of the currency for one USD");
  v.Flag(preset, "preset", "NAME", "hardware-tco, fleet-100, half-the-cost, or of --catalog");
  v.Flag(cards_per_node, "cards-per-node", "N", "of a fleet preset");
  v.Flag(price_per_kwh, "price-per-kwh", "PRICE", "of a fleet preset, in its currency");
  v.Flag(catalog, "catalog", "FILE[,FILE]", "YAML over the built-in catalogue");
  v.Flag(list, "list", "", "print the catalogue");
  v.Flag(json, "json", "", "print one JSON object");
  v.Flag(csv, "csv", "", "print CSV");
  v.Flag(html, "html", "FILE", "write one self-contained HTML file too");
}

bool CostFlags::has_b() const {
  return !b.result.empty() || b.tok_s || !b.machine.empty() || !b.price.empty() ||
         b.usd_per_gpu_hour || b.purchase_usd || b.power_w;
}

}  // namespace glint
