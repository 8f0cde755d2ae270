// SPDX-License-Identifier: Apache-2.0
// Which methods there are, and those of dicts and lists; strings have two files of their own.
#include "text/internal/jinja_methods.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "text/internal/jinja_compare.h"

namespace glint::text::jinja {
namespace {

using Names = std::span<const std::string_view>;

bool Holds(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// All public methods of the types in Python 3.11, less those in the tables.
constexpr std::array<std::string_view, 1> kDictOthers = {"fromkeys"};
constexpr std::array<std::string_view, 5> kDictUnsafe = {"clear", "pop", "popitem", "setdefault",
                                                         "update"};
constexpr std::array<std::string_view, 8> kListUnsafe = {"append", "clear",  "extend",  "insert",
                                                         "pop",    "remove", "reverse", "sort"};
constexpr std::array<std::string_view, 11> kStringOthers = {
    "casefold",    "encode",  "expandtabs", "format_map", "isascii",  "isidentifier",
    "isprintable", "istitle", "maketrans",  "swapcase",   "translate"};

Result<Value> DictView(Call& call, Flavor flavor) {
  std::vector<Value> items;
  items.reserve(call.input.dict()->members().size());
  for (const auto& [key, value] : call.input.dict()->members()) {
    if (flavor == Flavor::kDictItems) {
      GLINT_ASSIGN(Value pair, MakeSequence(&call.budget, Flavor::kTuple, {key, value}));
      items.push_back(std::move(pair));
    } else {
      items.push_back(flavor == Flavor::kDictKeys ? key : value);
    }
  }
  return MakeSequence(&call.budget, flavor, std::move(items));
}

Result<Value> DictGet(Call& call) {
  const Value& key = call.bound[0];
  if (!IsHashable(key)) return InvalidArgument(format("unhashable type: '{}'", key.TypeName()));
  if (const Value* found = call.input.dict()->Find(key)) return *found;
  return call.Has(1) ? call.bound[1] : Value(None{});
}

Result<Value> Same(Call& call) { return call.input; }

constexpr std::array<Operation, 5> kDictMethods = {{
    {"items", "/ ", [](Call& call) { return DictView(call, Flavor::kDictItems); }},
    {"keys", "/ ", [](Call& call) { return DictView(call, Flavor::kDictKeys); }},
    {"values", "/ ", [](Call& call) { return DictView(call, Flavor::kDictValues); }},
    {"get", "/ key! default", DictGet},
    {"copy", "/ ", Same},
}};

Result<Value> SequenceCount(Call& call) {
  std::int64_t count = 0;
  for (const Value& item : call.input.sequence()->items) {
    if (Equal(call.budget, item, call.bound[0])) ++count;
  }
  return Value(count);
}

Result<Value> SequenceIndex(Call& call) {
  const std::vector<Value>& items = call.input.sequence()->items;
  const auto size = static_cast<std::int64_t>(items.size());
  GLINT_ASSIGN(std::int64_t start, call.Integer(1, 0));
  GLINT_ASSIGN(std::int64_t stop, call.Integer(2, size));
  if (start < 0) start = std::max<std::int64_t>(start + size, 0);
  if (stop < 0) stop += size;
  for (std::int64_t i = start; i < std::min(stop, size); ++i) {
    if (Equal(call.budget, items[static_cast<std::size_t>(i)], call.bound[0])) return Value(i);
  }
  return InvalidArgument("the value is not in the list");
}

constexpr std::array<Operation, 3> kSequenceMethods = {{
    {"count", "/ value!", SequenceCount},
    {"index", "/ value! start stop", SequenceIndex},
    {"copy", "/ ", Same},
}};

const Operation* FindStringMethod(std::string_view name) {
  const Operation* found = FindOperation(StringMethods(), name);
  return found != nullptr ? found : FindOperation(StringSearchMethods(), name);
}

FoundMethod Found(const Operation* operation, bool exists_anyway, bool unsafe) {
  return {.exists = operation != nullptr || exists_anyway || unsafe,
          .unsafe = unsafe,
          .operation = operation};
}

}  // namespace

FoundMethod FindMethod(const Value& receiver, std::string_view name) {
  if (receiver.string() != nullptr) {
    return Found(FindStringMethod(name), Holds(kStringOthers, name), false);
  }
  if (receiver.dict() != nullptr) {
    return Found(FindOperation(kDictMethods, name), Holds(kDictOthers, name),
                 Holds(kDictUnsafe, name));
  }
  const Sequence* sequence = receiver.sequence();
  if (sequence == nullptr || sequence->flavor > Flavor::kRange) return {};
  const bool is_list = sequence->flavor == Flavor::kList;
  if (!is_list && name == "copy") return {};
  return Found(FindOperation(kSequenceMethods, name), false, is_list && Holds(kListUnsafe, name));
}

bool IsKnownMethod(std::string_view name) {
  return FindStringMethod(name) != nullptr || FindOperation(kDictMethods, name) != nullptr ||
         FindOperation(kSequenceMethods, name) != nullptr || Holds(kDictUnsafe, name) ||
         Holds(kListUnsafe, name) || name == "cycle" || name == "changed";
}

}  // namespace glint::text::jinja
