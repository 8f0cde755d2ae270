// SPDX-License-Identifier: Apache-2.0
// What `glint cost` knows by name: machines, price books, published speeds, comparisons and fleets.
//
// Plain data; reading it is plan/catalog_parser.h. Every entry has a date and a source. Units stand
// in the names; a machine's name is the key that joins price, power and speed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::plan {

// What a power figure counts.
enum class PowerDefinition {
  kChip,      // the GPU alone (TDP)
  kAllIn,     // chip and its share of host and network cards
  kFacility,  // all-in and the building's overhead: no PUE on top
};
const char* PowerDefinitionName(PowerDefinition definition);  // "chip", "all-in", "facility"
std::optional<PowerDefinition> FindPowerDefinition(std::string_view name);

enum class PriceBasis { kOwned, kRented };
const char* PriceBasisName(PriceBasis basis);  // "owned", "rented"

struct Origin {
  std::string date;    // YYYY-MM or YYYY-MM-DD
  std::string source;  // where the figure was read
  std::string note;    // may be empty
};

struct PowerFigure {
  PowerDefinition definition = PowerDefinition::kAllIn;
  double kw_per_gpu = 0;  // > 0
  Origin origin;
};

struct Machine {
  std::string name;   // "mi355x"
  std::string title;  // "AMD Instinct MI355X"
  std::int64_t gpus_per_node = 0;
  std::int64_t domain_gpus = 0;  // GPUs that one scale-up network joins
  double memory_gb = 0;
  double memory_tb_per_s = 0;
  double bf16_tflops = 0;
  double fp8_tflops = 0;
  std::optional<double> fp4_tflops;         // nullopt: has no FP4
  std::optional<double> scale_up_gb_per_s;  // one direction; nullopt: unknown
  std::vector<PowerFigure> power;
  Origin origin;
};

struct PriceBook {
  std::string name;
  std::string title;
  PriceBasis basis = PriceBasis::kRented;
  std::map<std::string, double, std::less<>> usd_per_gpu_hour;  // by machine name; > 0
  Origin origin;
};

// A measured or published speed: of one machine, one precision, one workload, one latency target.
struct SpeedResult {
  std::string name;
  std::string title;
  std::string machine;  // a machine's name; empty: not said
  std::int64_t gpus = 0;
  std::string model;
  std::string precision;
  std::string workload;
  std::string latency_target;                               // empty: none
  double output_tok_per_s = 0;                              // of all `gpus` together; > 0
  std::optional<double> input_tok_per_s;                    // cached tokens count
  std::optional<double> cached_input_share;                 // 0 to 1
  std::map<std::string, double, std::less<>> latencies_ms;  // "p95_ttft_ms" -> 2220
  std::vector<std::string> accuracy;  // what was measured with this precision; may be empty
  Origin origin;
};

struct PricePair {
  std::string a;  // names of price books
  std::string b;
};

struct Comparison {
  std::string name;
  std::string title;
  std::string a;  // names of results
  std::string b;
  std::vector<PricePair> price_pairs;
};

// A fleet whose cards are priced one by one; money in `currency`.
struct Fleet {
  struct Card {
    std::string name;
    double price = 0;
    double power_w = 0;
    std::optional<double> circulating_energy_cost;  // for `years`, as it circulates
  };
  std::string name;
  std::string title;
  std::int64_t nodes = 0;
  double years = 0;
  std::string currency;
  std::vector<Card> cards;
  Origin origin;
};

struct Catalog {
  std::vector<Machine> machines;
  std::vector<PriceBook> price_books;
  std::vector<SpeedResult> results;
  std::vector<Comparison> comparisons;
  std::vector<Fleet> fleets;

  // kNotFound, naming what there is, when nothing has the name.
  [[nodiscard]] Result<const Machine*> FindMachine(std::string_view name) const;
  [[nodiscard]] Result<const PriceBook*> FindPriceBook(std::string_view name) const;
  [[nodiscard]] Result<const SpeedResult*> FindResult(std::string_view name) const;
  [[nodiscard]] Result<const Comparison*> FindComparison(std::string_view name) const;
  [[nodiscard]] Result<const Fleet*> FindFleet(std::string_view name) const;

  // Adds `other`'s entries; one with a name that is here takes its place.
  void Override(Catalog other);

  // Every name that an entry uses exists: machines of prices and results, results and price books
  // of comparisons. kNotFound otherwise.
  [[nodiscard]] Status CheckNames() const;
};

// The machine's newest power figure with this definition, or nullptr.
const PowerFigure* FindPower(const Machine& machine, PowerDefinition definition);

}  // namespace glint::plan
