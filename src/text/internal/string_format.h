// SPDX-License-Identifier: Apache-2.0
// The `format` keyword of JSON Schema as regular expressions.
#pragma once

#include <optional>
#include <string_view>

namespace glint::text {

// For regex_parser.h; nothing for a format that is not supported. What they match is valid, but for
// the lengths that names may have (a mask for each length would cost more than it is worth);
// rare valid forms (quoted local parts of email, leap seconds) are left out.
std::optional<std::string_view> PatternOfFormat(std::string_view format);

}  // namespace glint::text
