// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic over template values. Integers are bounded by 64 bits: a result beyond that
// is an error, and so is arithmetic on larger integers.
#pragma once

#include <string_view>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

// a SIGN b, for + - * / // % **. Also joins and repeats strings and lists, and formats with %.
Result<Value> Arithmetic(Budget& budget, std::string_view sign, const Value& a, const Value& b);
// -value and +value.
Result<Value> Negative(const Value& value);
Result<Value> Positive(const Value& value);

// Undefined may be printed, tested and gone over; anything else is this error.
Error UndefinedError(const Undefined& undefined);
Status RequireDefined(const Value& value);

// `text` as HTML shows it: what `escape` does.
std::string EscapeHtml(std::string_view text);

}  // namespace glint::text::jinja
