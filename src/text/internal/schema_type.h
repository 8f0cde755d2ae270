// SPDX-License-Identifier: Apache-2.0
// What a tool's JSON schema says about one argument: whether its text is a string as it stands.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"

namespace glint::text {

enum class ArgumentType : std::uint8_t {
  kString,        // the text is the value, even if it looks like JSON
  kStringOrNull,  // the same, except for "null"
  kJson,          // JSON; if it is not, a string after all
};

// The type of `parameters`' property `key`; `parameters` may be null. Follows $ref within the
// schema, type lists, anyOf, oneOf, allOf, enum, const, nullable and additionalProperties. Where
// nothing is said, or references go round in circles: kJson.
ArgumentType TypeOfArgument(const Json* parameters, std::string_view key);

}  // namespace glint::text
