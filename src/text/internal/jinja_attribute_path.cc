// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_attribute_path.h"

#include <algorithm>
#include <charconv>

#include "text/internal/jinja_subscript.h"

namespace glint::text::jinja {

AttributePath::AttributePath(Budget& budget, const Value& attribute) {
  if (attribute.is_missing() || attribute.is_none()) return;
  const std::string* path = attribute.string();
  if (path == nullptr) {
    steps_.push_back(attribute);
    return;
  }
  std::string_view rest = *path;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    std::int64_t index = 0;
    const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool is_index = parsed.ec == std::errc() && parsed.ptr == step.data() + step.size() &&
                          !step.starts_with('-');
    steps_.push_back(is_index ? Value(index) : MakeString(&budget, std::string(step)));
    if (dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

Result<Value> AttributePath::Of(Budget& budget, const Value& item) const {
  Value value = item;
  for (const Value& step : steps_) {
    GLINT_ASSIGN(value, GetItem(budget, value, step));
  }
  return value;
}

}  // namespace glint::text::jinja
