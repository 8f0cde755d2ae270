// SPDX-License-Identifier: Apache-2.0
// value.name, value[index] and value[a:b:c], as jinja2's sandbox looks them up: attributes before
// items for the dot, items before attributes for brackets, Undefined when neither is there.
#pragma once

#include <string_view>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

// An error only for attributes of Undefined. `name` outlives the result (it is in the template).
Result<Value> GetAttribute(Budget& budget, const Value& object, std::string_view name);
Result<Value> GetItem(Budget& budget, const Value& object, const Value& index);

// Bounds that are None or Missing are not given.
Result<Value> GetSlice(Budget& budget, const Value& object, const Value& start, const Value& stop,
                       const Value& step);

}  // namespace glint::text::jinja
