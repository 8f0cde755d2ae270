// SPDX-License-Identifier: Apache-2.0
// GLM's markup of tool calls as rules of a grammar. Source: glm-architecture.md, sections 5.2 and
// 5.4.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "text/grammar_compiler.h"
#include "text/internal/automaton.h"
#include "text/internal/grammar_builder.h"
#include "text/internal/token_table_tables.h"

namespace glint::text {

// Returns the rule of the whole text. Undeclared arguments, where they are allowed, have names of
// letters, digits and `_.$-`. kInvalidArgument names the tool.
Result<RuleId> ToolCallRules(const TokenTableTables& tables, std::span<const ToolGrammar> tools,
                             const ToolCallOptions& options, const GrammarLimits& limits,
                             GrammarBuilder& builder, WorkBudget& budget);

}  // namespace glint::text
