// SPDX-License-Identifier: Apache-2.0
// Python's ==, <, in and len() over template values.
#pragma once

#include <cstdint>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

enum class Order : std::uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual };

// Lists and dicts are compared by what they hold. When the budget runs out the answer is false and
// of no meaning.
bool Equal(Budget& budget, const Value& a, const Value& b);

// An error for types that have no order between them, as a TypeError in Python.
Result<bool> Ordered(Budget& budget, Order order, const Value& a, const Value& b);

// `item in container`.
Result<bool> Contains(Budget& budget, const Value& container, const Value& item);

// len(); an error for what has none.
Result<std::int64_t> Length(const Value& value);

// What iterating over the value gives: items of lists, keys of dicts, characters of strings,
// nothing for Undefined. Takes what is left of a generator. An error for what is not iterable.
Result<std::vector<Value>> Items(Budget& budget, const Value& value);
bool IsIterable(const Value& value);

}  // namespace glint::text::jinja
