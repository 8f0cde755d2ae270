// SPDX-License-Identifier: Apache-2.0
// String literals of templates, which have the escapes of Python's.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glint::text::jinja {

// The text between the quotes with its escapes resolved. An unknown escape stays as it is. Errors:
// a cut escape, a surrogate or a number beyond U+10FFFF, \N{...}.
Result<std::string> ResolveEscapes(std::string_view literal);

}  // namespace glint::text::jinja
