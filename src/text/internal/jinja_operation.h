// SPDX-License-Identifier: Apache-2.0
// What filters, tests and methods have in common: a name, parameters as Python declares them, and a
// function. The tables are in jinja_filters.h, jinja_tests.h and jinja_methods.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> keywords;
};

// One call under way.
struct Call {
  Budget& budget;
  const Value& input;          // what is filtered or tested, or the object of the method
  const Arguments& arguments;  // as written
  std::vector<Value> bound{};  // by parameter, Missing for one that was not given

  // The bound parameter, or `fallback` when it was not given. Errors name the type that was found.
  [[nodiscard]] Result<std::int64_t> Integer(std::size_t index, std::int64_t fallback) const;
  [[nodiscard]] Result<std::string_view> String(std::size_t index, std::string_view fallback) const;
  [[nodiscard]] bool Flag(std::size_t index, bool fallback) const;
  [[nodiscard]] bool Has(std::size_t index) const { return !bound[index].is_missing(); }
};

struct Operation {
  std::string_view name;
  // Names in order, separated by spaces; "name!" must be given. A leading "/ " says that none may
  // be given by name; "*" alone: any arguments, not bound.
  std::string_view parameters;
  Result<Value> (*run)(Call& call);
};

// Binds the arguments to the parameters as Python does, and runs.
Result<Value> Run(const Operation& operation, Budget& budget, const Value& input,
                  const Arguments& arguments);

// The operation of a table by name, or null.
const Operation* FindOperation(std::span<const Operation> table, std::string_view name);

}  // namespace glint::text::jinja
