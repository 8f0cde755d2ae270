// SPDX-License-Identifier: Apache-2.0
// Filters of lists and dicts: first, last, join, sort, unique, min, max, sum, items, dictsort ...
#include <algorithm>
#include <array>
#include <optional>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_attribute_path.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

// What an item is compared by: its attribute, strings in lower case unless case counts.
Result<Value> KeyOf(Budget& budget, const AttributePath& path, const Value& item,
                    bool case_sensitive) {
  GLINT_ASSIGN(Value key, path.Of(budget, item));
  if (case_sensitive || key.string() == nullptr) return key;
  return MakeString(&budget, Lower(*key.string()));
}

Result<std::vector<Value>> KeysOf(Call& call, const std::vector<Value>& items,
                                  const Value& attribute, bool case_sensitive) {
  const AttributePath path(call.budget, attribute);
  std::vector<Value> keys;
  keys.reserve(items.size());
  for (const Value& item : items) {
    GLINT_ASSIGN(Value key, KeyOf(call.budget, path, item, case_sensitive));
    keys.push_back(std::move(key));
  }
  return keys;
}

// Items sorted by their keys, equal ones in their order, also when reversed. `equal_first`: equal
// keys are not asked for their order, which they may not have (None).
Result<std::vector<Value>> SortedBy(Budget& budget, const std::vector<Value>& items,
                                    const std::vector<Value>& keys, bool reverse,
                                    bool equal_first) {
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::optional<Error> failure;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (failure || !budget.ok()) return false;
    if (equal_first && Equal(budget, keys[a], keys[b])) return false;
    const Result<bool> less = reverse ? Ordered(budget, Order::kLess, keys[b], keys[a])
                                      : Ordered(budget, Order::kLess, keys[a], keys[b]);
    if (!less.ok()) failure = less.error();
    return less.ok() && less.value();
  });
  if (failure) return *failure;
  std::vector<Value> sorted;
  sorted.reserve(items.size());
  for (const std::size_t index : order) sorted.push_back(items[index]);
  return sorted;
}

Result<Value> Sort(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  const bool case_sensitive = call.Flag(1, false);
  const Value attribute = call.bound[2];
  const std::string* names = attribute.string();
  if (names != nullptr && names->find(',') != std::string::npos) {
    return InvalidArgument("sort by several attributes is not supported");
  }
  GLINT_ASSIGN(const auto keys, KeysOf(call, items, attribute, case_sensitive));
  GLINT_ASSIGN(auto sorted, SortedBy(call.budget, items, keys, call.Flag(0, false), true));
  return MakeList(&call.budget, std::move(sorted));
}

Result<Value> DictSort(Call& call) {
  const Dict* dict = call.input.dict();
  if (dict == nullptr) {
    return InvalidArgument(format("dictsort needs a mapping, not '{}'", call.input.TypeName()));
  }
  GLINT_ASSIGN(const std::string_view by, call.String(1, "key"));
  if (by != "key" && by != "value") {
    return InvalidArgument("you can only sort by either \"key\" or \"value\"");
  }
  std::vector<Value> pairs;
  pairs.reserve(dict->members().size());
  for (const auto& [key, value] : dict->members()) {
    GLINT_ASSIGN(Value pair, MakeSequence(&call.budget, Flavor::kTuple, {key, value}));
    pairs.push_back(std::move(pair));
  }
  const Value place(std::int64_t{by == "key" ? 0 : 1});
  GLINT_ASSIGN(const auto keys, KeysOf(call, pairs, place, call.Flag(0, false)));
  GLINT_ASSIGN(auto sorted, SortedBy(call.budget, pairs, keys, call.Flag(2, false), false));
  return MakeList(&call.budget, std::move(sorted));
}

Result<Value> Unique(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  GLINT_ASSIGN(const auto keys, KeysOf(call, items, call.bound[1], call.Flag(0, false)));
  DictBuilder seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    GLINT_TRY(seen.Add(keys[i], items[i]));
  }
  GLINT_ASSIGN(const Value kept, seen.Build(&call.budget));
  std::vector<Value> out;
  out.reserve(kept.dict()->members().size());
  for (const auto& [key, item] : kept.dict()->members()) out.push_back(item);
  return MakeSequence(&call.budget, Flavor::kGenerator, std::move(out));
}

template <Order kOrder>
Result<Value> Extreme(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  if (items.empty()) return Value(Undefined{});
  GLINT_ASSIGN(const auto keys, KeysOf(call, items, call.bound[1], call.Flag(0, false)));
  std::size_t best = 0;
  for (std::size_t i = 1; i < items.size() && call.budget.ok(); ++i) {
    GLINT_ASSIGN(const bool better, Ordered(call.budget, kOrder, keys[i], keys[best]));
    if (better) best = i;
  }
  return items[best];
}

Result<Value> Sum(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  const AttributePath path(call.budget, call.bound[0]);
  Value total = call.Has(1) ? call.bound[1] : Value(std::int64_t{0});
  if (total.string() != nullptr) return InvalidArgument("sum() can't sum strings");
  for (const Value& item : items) {
    if (!call.budget.ok()) break;
    GLINT_ASSIGN(const Value value, path.Of(call.budget, item));
    GLINT_ASSIGN(total, Arithmetic(call.budget, "+", total, value));
  }
  return total;
}

Result<Value> First(Call& call) {
  const Sequence* sequence = call.input.sequence();
  if (sequence != nullptr && sequence->flavor == Flavor::kGenerator) {
    if (sequence->consumed == sequence->items.size()) {
      if (sequence->failure) return *sequence->failure;
      return Value(Undefined{});
    }
    return sequence->items[sequence->consumed++];
  }
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  return items.empty() ? Value(Undefined{}) : items.front();
}

// reversed() of Python does not take what can only be gone over once.
Result<std::vector<Value>> Reversible(Call& call) {
  if (call.input.IsFlavor(Flavor::kGenerator)) {
    return InvalidArgument("'generator' object is not reversible");
  }
  return Items(call.budget, call.input);
}

Result<Value> Last(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Reversible(call));
  return items.empty() ? Value(Undefined{}) : items.back();
}

Result<Value> Reverse(Call& call) {
  GLINT_ASSIGN(std::vector<Value> items, Items(call.budget, call.input));
  std::reverse(items.begin(), items.end());
  if (call.input.string() == nullptr) {
    return MakeSequence(&call.budget, Flavor::kGenerator, std::move(items));
  }
  std::string out;
  for (const Value& item : items) out += *item.string();
  return MakeString(&call.budget, std::move(out));
}

Result<Value> List(Call& call) {
  GLINT_ASSIGN(std::vector<Value> items, Items(call.budget, call.input));
  return MakeList(&call.budget, std::move(items));
}

Result<Value> Join(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.input));
  std::string separator;
  if (call.Has(0)) GLINT_TRY(AppendStr(call.budget, call.bound[0], separator));
  const AttributePath path(call.budget, call.bound[1]);
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!call.budget.HasRoom(static_cast<std::int64_t>(out.size()))) break;
    if (i > 0) out += separator;
    GLINT_ASSIGN(const Value item, path.Of(call.budget, items[i]));
    GLINT_TRY(AppendStr(call.budget, item, out));
  }
  return MakeString(&call.budget, std::move(out));
}

Result<Value> ItemPairs(Call& call) {
  std::vector<Value> pairs;
  if (const Dict* dict = call.input.dict()) {
    pairs.reserve(dict->members().size());
    for (const auto& [key, value] : dict->members()) {
      GLINT_ASSIGN(Value pair, MakeSequence(&call.budget, Flavor::kTuple, {key, value}));
      pairs.push_back(std::move(pair));
    }
  } else if (call.input.undefined() == nullptr) {
    return InvalidArgument("can only get item pairs from a mapping");
  }
  return MakeSequence(&call.budget, Flavor::kGenerator, std::move(pairs));
}

constexpr std::array<Operation, 12> kFilters = {{
    {"first", "", First},
    {"last", "", Last},
    {"list", "", List},
    {"join", "d attribute", Join},
    {"reverse", "", Reverse},
    {"sort", "reverse case_sensitive attribute", Sort},
    {"dictsort", "case_sensitive by reverse", DictSort},
    {"unique", "case_sensitive attribute", Unique},
    {"min", "case_sensitive attribute", Extreme<Order::kLess>},
    {"max", "case_sensitive attribute", Extreme<Order::kGreater>},
    {"sum", "attribute start", Sum},
    {"items", "", ItemPairs},
}};

}  // namespace

std::span<const Operation> SequenceFilters() { return kFilters; }

}  // namespace glint::text::jinja
