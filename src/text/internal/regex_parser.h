// SPDX-License-Identifier: Apache-2.0
// Regular expressions to expressions of a grammar. The subset: CompileRegex in
// text/grammar_compiler.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "text/internal/grammar_builder.h"

namespace glint::text {

enum class RegexMatch : std::uint8_t {
  kWhole,   // the pattern matches all of the text
  kSearch,  // a part of it, unless anchors say otherwise: `pattern` of JSON Schema
};

// kInvalidArgument says what is malformed or not supported, and where.
Result<ExprId> ParseRegex(std::string_view pattern, RegexMatch match, Spelling spelling,
                          GrammarBuilder& builder);

}  // namespace glint::text
