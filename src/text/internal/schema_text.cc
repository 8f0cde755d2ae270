// SPDX-License-Identifier: Apache-2.0
#include "text/internal/schema_text.h"

#include <algorithm>

#include "base/format.h"
#include "text/internal/decimal.h"
#include "text/internal/json_prelude.h"
#include "text/internal/regex_parser.h"
#include "text/internal/string_format.h"

namespace glint::text {
namespace {

// No text gets as long.
constexpr std::int64_t kMaxCount = 1'000'000'000;

}  // namespace

Result<Counters> CountersOf(std::int64_t need, std::int64_t room) {
  if (need > kMaxCount) return InvalidArgument(format("a least size of {} is too large", need));
  Counters counters;
  counters.need = static_cast<std::int32_t>(need);
  if (room >= 0 && room < kMaxCount) counters.room = static_cast<std::int32_t>(room);
  return counters;
}

Result<ExprId> TextRules::Number(const SchemaSet& set, bool whole_only) {
  struct Keyword {
    const char* name;
    BoundSide side;
    bool strict;
  };
  constexpr Keyword kKeywords[] = {{"minimum", BoundSide::kAtLeast, false},
                                   {"maximum", BoundSide::kAtMost, false},
                                   {"exclusiveMinimum", BoundSide::kAtLeast, true},
                                   {"exclusiveMaximum", BoundSide::kAtMost, true}};
  std::string name = whole_only ? "integer" : "number";
  std::optional<Fragment> numbers;
  for (const Json* schema : set) {
    for (const Keyword& keyword : kKeywords) {
      const Json* value = schema->Find(keyword.name);
      if (value == nullptr) continue;
      const auto bound = ParseDecimal(value->number()->text);
      if (!bound || bound->fraction.size() > kMaxDigits) {
        return InvalidArgument(
            format("{} {} has too many digits", keyword.name, Quoted(value->number()->text)));
      }
      if (bound->whole.size() > kMaxDigits) {
        // Beyond all numbers that we write: no bound, or nothing is left.
        if (bound->negative == (keyword.side == BoundSide::kAtLeast)) continue;
        return builder_.Nothing();
      }
      name += format(" {} {}", keyword.name, value->number()->text);
      GrammarBuilder bounds;
      const ExprId expr = BoundedNumber(bounds, *bound, keyword.side, keyword.strict, whole_only);
      GLINT_ASSIGN(Fragment fragment, Compile(bounds, expr));
      GLINT_ASSIGN(numbers, Both(numbers, std::move(fragment)));
    }
  }
  if (!numbers) return builder_.Call(whole_only ? kRuleInteger : kRuleNumber);
  const auto [at, added] = rules_.try_emplace(name, 0);
  if (added) {
    GrammarBuilder all;
    const ExprId expr = whole_only ? IntegerExpr(all) : PlainNumberExpr(all);
    GLINT_ASSIGN(Fragment fragment, Compile(all, expr));
    GLINT_ASSIGN(numbers, Both(numbers, std::move(fragment)));
    at->second = builder_.NewRule();
    builder_.Define(at->second, builder_.Embed(*std::move(numbers)));
  }
  return builder_.Call(at->second);
}

TextRules::StringFacts TextRules::FactsOf(const SchemaSet& set) {
  StringFacts facts;
  facts.at_least = SizeOf(set, "minLength", true, 0);
  facts.at_most = SizeOf(set, "maxLength", false, -1);
  for (const Json* schema : set) {
    if (const Json* pattern = schema->Find("pattern")) {
      facts.patterns.emplace_back(*pattern->string(), false);
    }
    const Json* name = schema->Find("format");
    const auto pattern = name == nullptr ? std::nullopt : PatternOfFormat(*name->string());
    if (pattern) facts.patterns.emplace_back(std::string(*pattern), true);
  }
  std::sort(facts.patterns.begin(), facts.patterns.end());
  return facts;
}

Result<ExprId> TextRules::JsonString(const SchemaSet& set) {
  const StringFacts facts = FactsOf(set);
  if (!facts.possible()) return builder_.Nothing();
  if (!facts.patterns.empty()) return Patterned(facts, Spelling::kJson, -1);
  if (facts.at_least == 0 && facts.at_most < 0) return builder_.Call(kRuleString);
  GLINT_ASSIGN(const Counters counters, CountersOf(facts.at_least, facts.at_most));
  return builder_.Call(kRuleCountedString, counters);
}

Result<ExprId> TextRules::RawString(const SchemaSet& set, std::int32_t end) {
  const StringFacts facts = FactsOf(set);
  if (!facts.possible()) return builder_.Nothing();
  if (!facts.patterns.empty()) return Patterned(facts, Spelling::kRaw, end);
  if (facts.at_least == 0 && facts.at_most < 0) return builder_.Call(kRuleRawText);
  GLINT_ASSIGN(const Counters counters, CountersOf(facts.at_least, facts.at_most));
  return builder_.Call(kRuleCountedRawText, counters);
}

// The rule holds what the text ends with, a quote
// or the token `end`: a token's border within it then needs no look at the stack.
Result<ExprId> TextRules::Patterned(const StringFacts& facts, Spelling spelling, std::int32_t end) {
  std::string name = format("{} {} {}", spelling == Spelling::kRaw ? "raw" : "json", facts.at_least,
                            facts.at_most);
  for (const auto& [pattern, whole] : facts.patterns) {
    name += format(" {} {} {}", pattern.size(), pattern, whole);
  }
  if (const auto at = rules_.find(name); at != rules_.end()) {
    return builder_.Call(at->second);
  }
  GLINT_ASSIGN(Fragment text, Content(facts, spelling));
  const ExprId content = builder_.Embed(std::move(text));
  const RuleId rule = builder_.NewRule();
  builder_.Define(rule,
                  spelling == Spelling::kRaw
                      ? builder_.Sequence({content, builder_.Token(end)})
                      : builder_.Sequence({builder_.Bytes("\""), content, builder_.Bytes("\"")}));
  rules_.emplace(name, rule);
  return builder_.Call(rule);
}

// All patterns at once, of a length in the bounds.
Result<Fragment> TextRules::Content(const StringFacts& facts, Spelling spelling) {
  std::optional<Fragment> text;
  for (const auto& [pattern, whole] : facts.patterns) {
    GrammarBuilder builder;
    const auto body =
        ParseRegex(pattern, whole ? RegexMatch::kWhole : RegexMatch::kSearch, spelling, builder);
    if (!body.ok()) {
      return InvalidArgument(format("pattern {}: {}", Quoted(pattern), body.error().message));
    }
    GLINT_ASSIGN(Fragment fragment, Compile(builder, body.value()));
    GLINT_ASSIGN(text, Both(text, std::move(fragment)));
  }
  if (facts.at_least > 0 || facts.at_most >= 0) {
    if (std::max(facts.at_least, facts.at_most) > limits_.max_states) {
      return InvalidArgument("minLength or maxLength is too large beside a pattern or format");
    }
    GrammarBuilder builder;
    const ExprId length = builder.Repeat(builder.Class(CodePointSet::All(), spelling),
                                         static_cast<std::int32_t>(facts.at_least),
                                         static_cast<std::int32_t>(facts.at_most));
    GLINT_ASSIGN(Fragment fragment, Compile(builder, length));
    GLINT_ASSIGN(text, Both(text, std::move(fragment)));
  }
  return *std::move(text);
}

Result<Fragment> TextRules::Compile(const GrammarBuilder& builder, ExprId body) {
  return CompileRule(builder, body, RuleForm::kDeterministic, limits_, budget_);
}

Result<Fragment> TextRules::Both(const std::optional<Fragment>& a, Fragment b) {
  if (!a) return b;
  return Combine(*a, b, Combination::kBoth, limits_, budget_);
}

}  // namespace glint::text
