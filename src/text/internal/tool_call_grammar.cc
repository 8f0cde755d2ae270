// SPDX-License-Identifier: Apache-2.0
#include "text/internal/tool_call_grammar.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "text/internal/compiled_grammar.h"
#include "text/internal/regex_parser.h"
#include "text/internal/schema_grammar.h"
#include "text/internal/schema_type.h"

namespace glint::text {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

struct Tags {
  std::int32_t call = 0;
  std::int32_t call_end = 0;
  std::int32_t key = 0;
  std::int32_t key_end = 0;
  std::int32_t value = 0;
  std::int32_t value_end = 0;
};

Result<Tags> FindTags(const TokenTableTables& tables) {
  Tags tags;
  const std::pair<const char*, std::int32_t*> names[] = {
      {"<tool_call>", &tags.call},  {"</tool_call>", &tags.call_end},
      {"<arg_key>", &tags.key},     {"</arg_key>", &tags.key_end},
      {"<arg_value>", &tags.value}, {"</arg_value>", &tags.value_end}};
  for (const auto& [name, id] : names) {
    const auto at = tables.by_name.find(name);
    if (at == tables.by_name.end()) {
      return InvalidArgument(format("the model's tokenizer has no token {}", name));
    }
    *id = at->second;
  }
  return tags;
}

// The parser of calls trims names and keys, so that these could not come back as they are.
bool IsTrimmed(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kSpaces) == 0 &&
         text.find_last_not_of(kSpaces) + 1 == text.size();
}

class ToolRules {
 public:
  ToolRules(const TokenTableTables& tables, const Tags& tags, const ToolCallOptions& options,
            const GrammarLimits& limits, GrammarBuilder& builder, WorkBudget& budget)
      : tables_(tables),
        tags_(tags),
        options_(options),
        limits_(limits),
        b_(builder),
        budget_(budget) {}

  // The name and the arguments of a call.
  Result<ExprId> Call(const ToolGrammar& tool) {
    if (!IsTrimmed(tool.name)) return InvalidArgument("its name is empty or begins with a space");
    const ExprId name = b_.Sequence({b_.Bytes(tool.name), Newline()});
    if (tool.parameters == nullptr) return name;
    GLINT_TRY(CheckSchemaSize(*tool.parameters, limits_));
    SchemaGrammar schema(*tool.parameters, tables_.prelude.automaton, limits_, b_, budget_);
    GLINT_ASSIGN(const auto sets, schema.goals().Alternatives({tool.parameters}));
    std::vector<ExprId> choices;
    for (const SchemaSet& set : sets) {
      if ((TypesOf(set) & kTypeObject) == 0) continue;
      GLINT_ASSIGN(const ExprId arguments, Arguments(schema, *tool.parameters, set));
      choices.push_back(arguments);
    }
    if (choices.empty()) return InvalidArgument("its parameters are no object");
    GLINT_TRY(schema.Finish());
    return b_.Sequence({name, b_.Choice(std::move(choices))});
  }

  ExprId Newline() { return options_.glm45_markup ? b_.Optional(b_.Bytes("\n")) : b_.Empty(); }

 private:
  Result<ExprId> Arguments(SchemaGrammar& schema, const Json& parameters, const SchemaSet& set) {
    GLINT_ASSIGN(const SchemaGrammar::Members members, schema.MembersOf(set));
    if (!members.possible) return b_.Nothing();
    std::vector<ExprId> parts;
    std::vector<bool> optional;
    std::vector<std::string> names;
    for (const SchemaGrammar::Member& member : members.declared) {
      names.push_back(member.name);
      if (HoldsFalse(member.goal)) continue;
      if (!IsTrimmed(member.name)) {
        return InvalidArgument(
            format("the name of its argument {} cannot be written", Quoted(member.name)));
      }
      GLINT_ASSIGN(const ExprId value,
                   Value(schema, member.goal, TypeOfArgument(&parameters, member.name)));
      parts.push_back(Argument(b_.Bytes(member.name), value));
      optional.push_back(!member.required);
    }
    ExprId further = -1;
    if (members.open && !members.further.empty()) {
      GLINT_ASSIGN(const ExprId key, KeyExcept(names));
      const bool text = OnlyStrings(schema, members.further);
      GLINT_ASSIGN(const ExprId value, Value(schema, members.further,
                                             text ? ArgumentType::kString : ArgumentType::kJson));
      further = Argument(key, value);
    }
    return b_.Members(std::move(parts), std::move(optional), b_.Empty(), further);
  }

  ExprId Argument(ExprId key, ExprId value) {
    return b_.Sequence({b_.Token(tags_.key), key, b_.Token(tags_.key_end), Newline(),
                        b_.Token(tags_.value), value, Newline()});
  }

  // With the tag behind it.
  Result<ExprId> Value(SchemaGrammar& schema, const SchemaSet& goal, ArgumentType type) {
    if (type != ArgumentType::kJson) {
      GLINT_ASSIGN(const ExprId text, schema.RawString(goal, tags_.value_end));
      if (type == ArgumentType::kString) return text;
      return b_.Choice({text, b_.Sequence({b_.Bytes("null"), b_.Token(tags_.value_end)})});
    }
    GLINT_ASSIGN(const ExprId json, schema.Value(goal));
    return b_.Sequence({json, b_.Token(tags_.value_end)});
  }

  static bool OnlyStrings(SchemaGrammar& schema, const SchemaSet& goal) {
    const auto sets = schema.goals().Alternatives(goal);
    return sets.ok() &&
           std::all_of(sets.value().begin(), sets.value().end(),
                       [](const SchemaSet& set) { return TypesOf(set) == kTypeString; });
  }

  Result<ExprId> KeyExcept(const std::vector<std::string>& names) {
    const RuleLimits limits = RuleLimitsOf(limits_);
    GrammarBuilder keys;
    GLINT_ASSIGN(const ExprId any,
                 ParseRegex("[A-Za-z0-9_.$-]+", RegexMatch::kWhole, Spelling::kRaw, keys));
    std::vector<ExprId> choices;
    choices.reserve(names.size());
    for (const std::string& name : names) choices.push_back(keys.Bytes(name));
    const ExprId declared = keys.Choice(std::move(choices));
    GLINT_ASSIGN(const Fragment all,
                 CompileRule(keys, any, RuleForm::kDeterministic, limits, budget_));
    GLINT_ASSIGN(const Fragment taken,
                 CompileRule(keys, declared, RuleForm::kDeterministic, limits, budget_));
    GLINT_ASSIGN(Fragment rest, Combine(all, taken, Combination::kFirstOnly, limits, budget_));
    return b_.Embed(std::move(rest));
  }

  const TokenTableTables& tables_;
  const Tags& tags_;
  const ToolCallOptions& options_;
  const GrammarLimits& limits_;
  GrammarBuilder& b_;
  WorkBudget& budget_;
};

}  // namespace

Result<RuleId> ToolCallRules(const TokenTableTables& tables, std::span<const ToolGrammar> tools,
                             const ToolCallOptions& options, const GrammarLimits& limits,
                             GrammarBuilder& builder, WorkBudget& budget) {
  GLINT_ASSIGN(const Tags tags, FindTags(tables));
  ToolRules rules(tables, tags, options, limits, builder, budget);
  std::vector<ExprId> choices;
  for (const ToolGrammar& tool : tools) {
    const auto call = rules.Call(tool);
    if (!call.ok()) {
      return Error{call.error().code,
                   format("tool {}: {}", Quoted(tool.name), call.error().message)};
    }
    const RuleId rule = builder.NewRule();
    builder.Define(rule, call.value());
    choices.push_back(builder.Call(rule));
  }
  if (choices.empty()) return InvalidArgument("there is no tool to call");
  const ExprId call =
      builder.Sequence({rules.Newline(), builder.Token(tags.call),
                        builder.Choice(std::move(choices)), builder.Token(tags.call_end)});
  const std::int32_t most = options.max_calls > 0 ? options.max_calls : -1;
  const RuleId root = builder.NewRule();
  builder.Define(root, builder.Repeat(call, 1, most));
  return root;
}

}  // namespace glint::text
