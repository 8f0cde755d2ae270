// SPDX-License-Identifier: Apache-2.0
#include "plan/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"

namespace glint::plan {
namespace {

template <typename Entry>
Result<const Entry*> Find(const std::vector<Entry>& entries, std::string_view name,
                          const char* what) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return NotFound(format("no {} is named {}; there are {}", what, Quoted(name),
                         names.empty() ? "none" : format("{}", fmt::join(names, ", "))));
}

template <typename Entry>
void Merge(std::vector<Entry>& into, std::vector<Entry> from) {
  into.reserve(into.size() + from.size());
  for (Entry& entry : from) {
    const auto same = std::find_if(into.begin(), into.end(),
                                   [&](const Entry& old) { return old.name == entry.name; });
    if (same == into.end()) {
      into.push_back(std::move(entry));
    } else {
      *same = std::move(entry);
    }
  }
}

}  // namespace

const char* PowerDefinitionName(PowerDefinition definition) {
  switch (definition) {
    case PowerDefinition::kChip:
      return "chip";
    case PowerDefinition::kAllIn:
      return "all-in";
    case PowerDefinition::kFacility:
      return "facility";
  }
  return "?";
}

std::optional<PowerDefinition> FindPowerDefinition(std::string_view name) {
  for (const PowerDefinition definition :
       {PowerDefinition::kChip, PowerDefinition::kAllIn, PowerDefinition::kFacility}) {
    if (name == PowerDefinitionName(definition)) return definition;
  }
  return std::nullopt;
}

const char* PriceBasisName(PriceBasis basis) {
  return basis == PriceBasis::kOwned ? "owned" : "rented";
}

Result<const Machine*> Catalog::FindMachine(std::string_view name) const {
  return Find(machines, name, "machine");
}
Result<const PriceBook*> Catalog::FindPriceBook(std::string_view name) const {
  return Find(price_books, name, "price book");
}
Result<const SpeedResult*> Catalog::FindResult(std::string_view name) const {
  return Find(results, name, "result");
}
Result<const Comparison*> Catalog::FindComparison(std::string_view name) const {
  return Find(comparisons, name, "comparison");
}
Result<const Fleet*> Catalog::FindFleet(std::string_view name) const {
  return Find(fleets, name, "fleet");
}

void Catalog::Override(Catalog other) {
  Merge(machines, std::move(other.machines));
  Merge(price_books, std::move(other.price_books));
  Merge(results, std::move(other.results));
  Merge(comparisons, std::move(other.comparisons));
  Merge(fleets, std::move(other.fleets));
}

Status Catalog::CheckNames() const {
  const auto in = [](const std::string& where, const Error& error) {
    return NotFound(format("{}: {}", where, error.message));
  };
  for (const PriceBook& book : price_books) {
    for (const auto& [machine, price] : book.usd_per_gpu_hour) {
      const auto found = FindMachine(machine);
      if (!found.ok()) return in("price book " + book.name, found.error());
    }
  }
  for (const SpeedResult& result : results) {
    const auto found = FindMachine(result.machine);
    if (!found.ok()) return in("result " + result.name, found.error());
  }
  for (const Comparison& comparison : comparisons) {
    for (const std::string& name : {comparison.a, comparison.b}) {
      const auto found = FindResult(name);
      if (!found.ok()) return in("comparison " + comparison.name, found.error());
    }
    for (const PricePair& pair : comparison.price_pairs) {
      for (const std::string& name : {pair.a, pair.b}) {
        const auto found = FindPriceBook(name);
        if (!found.ok()) return in("comparison " + comparison.name, found.error());
      }
    }
  }
  return Ok();
}

const PowerFigure* FindPower(const Machine& machine, PowerDefinition definition) {
  const PowerFigure* newest = nullptr;
  for (const PowerFigure& figure : machine.power) {
    if (figure.definition != definition) continue;
    if (newest == nullptr || figure.origin.date > newest->origin.date) newest = &figure;
  }
  return newest;
}

}  // namespace glint::plan
