// SPDX-License-Identifier: Apache-2.0
// The tests of jinja2: `value is NAME`. Each returns a bool.
#pragma once

#include <string_view>

#include "text/internal/jinja_operation.h"

namespace glint::text::jinja {

// Null when there is none of that name.
const Operation* FindTest(std::string_view name);

}  // namespace glint::text::jinja
