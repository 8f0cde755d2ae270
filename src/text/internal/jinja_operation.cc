// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_operation.h"

#include <algorithm>

#include "base/format.h"

namespace glint::text::jinja {
namespace {

struct Parameter {
  std::string_view name;
  bool required = false;
};

std::vector<Parameter> ParseParameters(std::string_view text) {
  std::vector<Parameter> parameters;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view name = text.substr(0, end);
    const bool required = name.ends_with('!');
    if (required) name.remove_suffix(1);
    parameters.push_back({name, required});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parameters;
}

Status Bind(const Operation& operation, Call& call) {
  std::string_view declared = operation.parameters;
  const bool by_position_only = declared.starts_with('/');
  if (by_position_only) declared.remove_prefix(std::min<std::size_t>(2, declared.size()));
  const std::vector<Parameter> parameters = ParseParameters(declared);
  const Arguments& given = call.arguments;
  if (given.positional.size() > parameters.size()) {
    return InvalidArgument(format("{}() takes at most {} arguments, got {}", operation.name,
                                  parameters.size(), given.positional.size()));
  }
  call.bound.assign(given.positional.begin(), given.positional.end());
  call.bound.resize(parameters.size());
  for (const auto& [name, value] : given.keywords) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    if (by_position_only || found == parameters.end()) {
      return InvalidArgument(format("{}() has no argument named '{}'", operation.name, name));
    }
    Value& place = call.bound[static_cast<std::size_t>(found - parameters.begin())];
    if (!place.is_missing()) {
      return InvalidArgument(format("{}() got '{}' twice", operation.name, name));
    }
    place = value;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].required && call.bound[i].is_missing()) {
      return InvalidArgument(
          format("{}() needs the argument '{}'", operation.name, parameters[i].name));
    }
  }
  return Ok();
}

}  // namespace

Result<std::int64_t> Call::Integer(std::size_t index, std::int64_t fallback) const {
  if (!Has(index)) return fallback;
  if (const auto value = bound[index].AsInteger()) return *value;
  return InvalidArgument(
      format("'{}' object cannot be interpreted as an integer", bound[index].TypeName()));
}

Result<std::string_view> Call::String(std::size_t index, std::string_view fallback) const {
  if (!Has(index)) return fallback;
  if (const std::string* value = bound[index].string()) return std::string_view(*value);
  return InvalidArgument(format("must be str, not {}", bound[index].TypeName()));
}

bool Call::Flag(std::size_t index, bool fallback) const {
  return Has(index) ? bound[index].IsTrue() : fallback;
}

Result<Value> Run(const Operation& operation, Budget& budget, const Value& input,
                  const Arguments& arguments) {
  budget.Spend(1);
  Call call{.budget = budget, .input = input, .arguments = arguments};
  if (operation.parameters != "*") GLINT_TRY(Bind(operation, call));
  return operation.run(call);
}

const Operation* FindOperation(std::span<const Operation> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Operation& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace glint::text::jinja
