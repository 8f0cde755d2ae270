// SPDX-License-Identifier: Apache-2.0
// GBNF grammars to rules. The syntax: CompileEbnf in text/grammar_compiler.h.
#pragma once

#include <string_view>

#include "base/result.h"
#include "text/internal/grammar_builder.h"

namespace glint::text {

// Returns the rule `root`. kInvalidArgument says what is malformed, and where; a rule that is used
// but not defined, or defined twice, is named.
Result<RuleId> ParseEbnf(std::string_view grammar, GrammarBuilder& builder);

}  // namespace glint::text
