// SPDX-License-Identifier: Apache-2.0
// Filters that go over items with another filter or a test: map, select, reject and the two that
// look at an attribute. Each gives a generator, as in jinja2.
#include <array>

#include "base/format.h"
#include "text/internal/jinja_attribute_path.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_tests.h"

namespace glint::text::jinja {
namespace {

// Python's generators go to an item only when it is asked for, so what fails at an item fails then:
// the items before it, and `found`.
Result<Value> Generator(Call& call, std::vector<Value> items, const Status& found) {
  auto sequence = std::make_shared<Sequence>(Flavor::kGenerator, std::move(items), &call.budget);
  if (sequence->depth > kMaxValueDepth) {
    return InvalidArgument(format("a value is nested deeper than {} levels", kMaxValueDepth));
  }
  if (!found.ok()) sequence->failure = found.error();
  return Value(std::shared_ptr<const Sequence>(std::move(sequence)));
}

// The items to go over, and in `after` what fails behind the last of them.
Result<std::vector<Value>> ItemsOf(const Call& call, Status& after) {
  const Sequence* sequence = call.input.sequence();
  if (sequence == nullptr || !sequence->failure) return Items(call.budget, call.input);
  after = *sequence->failure;
  const auto begin = sequence->items.begin() + static_cast<std::ptrdiff_t>(sequence->consumed);
  sequence->consumed = sequence->items.size();
  return std::vector<Value>(begin, sequence->items.end());
}

// The name of an operation, an argument of the call.
Result<std::string_view> NameAt(const Call& call, std::size_t index) {
  const std::vector<Value>& given = call.arguments.positional;
  if (index >= given.size()) return InvalidArgument("an argument is missing");
  const std::string* name = given[index].string();
  if (name == nullptr) {
    return InvalidArgument(
        format("must be the name of a filter or test, not {}", given[index].TypeName()));
  }
  return std::string_view(*name);
}

Arguments ArgumentsFrom(const Call& call, std::size_t first) {
  Arguments rest;
  rest.keywords = call.arguments.keywords;
  const std::vector<Value>& given = call.arguments.positional;
  if (first < given.size()) {
    rest.positional.assign(given.begin() + static_cast<std::ptrdiff_t>(first), given.end());
  }
  return rest;
}

Status MapAttribute(const Call& call, const std::vector<Value>& items, std::vector<Value>& out) {
  Value attribute;
  Value fallback;
  for (const auto& [name, value] : call.arguments.keywords) {
    if (name == "attribute") {
      attribute = value;
    } else if (name == "default") {
      fallback = value;
    } else {
      return InvalidArgument(format("map has no argument named '{}'", name));
    }
  }
  if (attribute.is_missing()) return InvalidArgument("map needs a filter or an attribute");
  const AttributePath path(call.budget, attribute);
  out.reserve(items.size());
  for (const Value& item : items) {
    GLINT_ASSIGN(Value value, path.Of(call.budget, item));
    const bool use_fallback = value.undefined() != nullptr && !fallback.is_missing();
    out.push_back(use_fallback ? fallback : std::move(value));
  }
  return Ok();
}

Status MapInto(const Call& call, std::vector<Value>& out) {
  // A false input is not even looked at.
  if (!call.input.IsTrue()) return Ok();
  Status after = Ok();
  GLINT_ASSIGN(const std::vector<Value> items, ItemsOf(call, after));
  if (call.arguments.positional.empty()) {
    GLINT_TRY(MapAttribute(call, items, out));
    return after;
  }
  GLINT_ASSIGN(const std::string_view name, NameAt(call, 0));
  const Operation* filter = FindFilter(name);
  if (filter == nullptr) return InvalidArgument(format("unknown filter {}", Quoted(name)));
  const Arguments arguments = ArgumentsFrom(call, 1);
  out.reserve(items.size());
  for (const Value& item : items) {
    if (!call.budget.ok()) break;
    GLINT_ASSIGN(Value value, Run(*filter, call.budget, item, arguments));
    out.push_back(std::move(value));
  }
  return after;
}

Result<Value> Map(Call& call) {
  std::vector<Value> out;
  const Status found = MapInto(call, out);
  return Generator(call, std::move(out), found);
}

struct Selection {
  bool keep = true;  // what passes; else what does not
  bool by_attribute = false;
};

Status SelectInto(const Call& call, Selection selection, std::vector<Value>& out) {
  if (!call.input.IsTrue()) return Ok();
  Status after = Ok();
  GLINT_ASSIGN(const std::vector<Value> items, ItemsOf(call, after));
  const std::size_t test_at = selection.by_attribute ? 1 : 0;
  AttributePath path;
  if (selection.by_attribute) {
    if (call.arguments.positional.empty()) return InvalidArgument("the attribute is missing");
    path = AttributePath(call.budget, call.arguments.positional[0]);
  }
  const Operation* test = nullptr;
  if (test_at < call.arguments.positional.size()) {
    GLINT_ASSIGN(const std::string_view name, NameAt(call, test_at));
    test = FindTest(name);
    if (test == nullptr) return InvalidArgument(format("unknown test {}", Quoted(name)));
  }
  const Arguments arguments = ArgumentsFrom(call, test_at + 1);
  for (const Value& item : items) {
    if (!call.budget.ok()) break;
    GLINT_ASSIGN(Value value, path.Of(call.budget, item));
    if (test != nullptr) {
      GLINT_ASSIGN(value, Run(*test, call.budget, value, arguments));
    }
    if (value.IsTrue() == selection.keep) out.push_back(item);
  }
  return after;
}

template <Selection kSelection>
Result<Value> Select(Call& call) {
  std::vector<Value> out;
  const Status found = SelectInto(call, kSelection, out);
  return Generator(call, std::move(out), found);
}

constexpr std::array<Operation, 5> kFilters = {{
    {"map", "*", Map},
    {"select", "*", Select<Selection{.keep = true, .by_attribute = false}>},
    {"reject", "*", Select<Selection{.keep = false, .by_attribute = false}>},
    {"selectattr", "*", Select<Selection{.keep = true, .by_attribute = true}>},
    {"rejectattr", "*", Select<Selection{.keep = false, .by_attribute = true}>},
}};

}  // namespace

std::span<const Operation> SelectFilters() { return kFilters; }

}  // namespace glint::text::jinja
