// SPDX-License-Identifier: Apache-2.0
#include "text/grammar_compiler.h"

#include <utility>

#include "base/format.h"
#include "text/internal/compiled_grammar.h"
#include "text/internal/ebnf_parser.h"
#include "text/internal/json_prelude.h"
#include "text/internal/regex_parser.h"
#include "text/internal/schema_grammar.h"
#include "text/internal/tool_call_grammar.h"

namespace glint::text {
namespace {

Status CheckSize(std::string_view text, const GrammarLimits& limits) {
  if (text.size() <= limits.input_bytes) return Ok();
  return InvalidArgument(format("{} bytes are more than the {} that a grammar may have",
                                WithThousands(static_cast<std::int64_t>(text.size())),
                                WithThousands(static_cast<std::int64_t>(limits.input_bytes))));
}

Error Within(std::string_view where, const Error& error) {
  return {error.code, format("{}: {}", where, error.message)};
}

}  // namespace

GrammarResult CompileRegex(std::shared_ptr<const TokenTable> table, std::string_view pattern,
                           const GrammarLimits& limits) {
  GLINT_TRY(CheckSize(pattern, limits));
  WorkBudget budget(limits.work);
  GrammarBuilder builder(kPreludeRules);
  const auto body = ParseRegex(pattern, RegexMatch::kWhole, Spelling::kRaw, builder);
  if (!body.ok()) return Within("regex", body.error());
  const RuleId root = builder.NewRule();
  builder.Define(root, body.value());
  return FinishGrammar(std::move(table), builder, root, RuleForm::kDeterministic, limits, budget);
}

GrammarResult CompileEbnf(std::shared_ptr<const TokenTable> table, std::string_view grammar,
                          const GrammarLimits& limits) {
  GLINT_TRY(CheckSize(grammar, limits));
  WorkBudget budget(limits.work);
  GrammarBuilder builder(kPreludeRules);
  const auto root = ParseEbnf(grammar, builder);
  if (!root.ok()) return Within("grammar", root.error());
  return FinishGrammar(std::move(table), builder, root.value(), RuleForm::kSmall, limits, budget);
}

GrammarResult CompileJsonSchema(std::shared_ptr<const TokenTable> table, const Json& schema,
                                const GrammarLimits& limits) {
  GLINT_TRY(CheckSchemaSize(schema, limits));
  WorkBudget budget(limits.work);
  GrammarBuilder builder(kPreludeRules);
  SchemaGrammar grammar(schema, table->tables().prelude.automaton, limits, builder, budget);
  const auto value = grammar.Value({&schema});
  if (!value.ok()) return Within("schema", value.error());
  if (const Status done = grammar.Finish(); !done.ok()) return Within("schema", done.error());
  const RuleId root = builder.NewRule();
  builder.Define(root, builder.Sequence({OptionalSpace(builder), value.value()}));
  return FinishGrammar(std::move(table), builder, root, RuleForm::kSmall, limits, budget);
}

GrammarResult CompileJsonObject(std::shared_ptr<const TokenTable> table,
                                const GrammarLimits& limits) {
  WorkBudget budget(limits.work);
  GrammarBuilder builder(kPreludeRules);
  const RuleId root = builder.NewRule();
  builder.Define(root, builder.Sequence({OptionalSpace(builder), builder.Call(kRuleObject)}));
  return FinishGrammar(std::move(table), builder, root, RuleForm::kSmall, limits, budget);
}

GrammarResult CompileToolCalls(std::shared_ptr<const TokenTable> table,
                               std::span<const ToolGrammar> tools, const ToolCallOptions& options,
                               const GrammarLimits& limits) {
  WorkBudget budget(limits.work);
  GrammarBuilder builder(kPreludeRules);
  const auto root = ToolCallRules(table->tables(), tools, options, limits, builder, budget);
  if (!root.ok()) return Within("tools", root.error());
  return FinishGrammar(std::move(table), builder, root.value(), RuleForm::kSmall, limits, budget);
}

}  // namespace glint::text
