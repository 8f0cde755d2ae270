// SPDX-License-Identifier: Apache-2.0
#include "text/internal/json_prelude.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "text/internal/grammar_assembly.h"

namespace glint::text {
namespace {

constexpr std::int32_t kMaxIndentSpaces = 32;
constexpr std::int32_t kMaxIndentTabs = 8;

ExprId Ascii(GrammarBuilder& builder, std::vector<CodePointRange> ranges) {
  return builder.Class(CodePointSet(std::move(ranges)), Spelling::kRaw);
}

ExprId Digits(GrammarBuilder& builder, std::int32_t at_least, std::int32_t at_most) {
  return builder.Repeat(Ascii(builder, {{'0', '9'}}), at_least, at_most);
}

ExprId Space(GrammarBuilder& b) {
  const ExprId indent = b.Choice(
      {b.Repeat(b.Bytes(" "), 0, kMaxIndentSpaces), b.Repeat(b.Bytes("\t"), 1, kMaxIndentTabs)});
  return b.Choice({b.Bytes(" "), b.Sequence({b.Bytes("\n"), indent})});
}

// An escape of a surrogate is half of a pair; the other half must follow.
ExprId Escape(GrammarBuilder& b, std::uint8_t flags) {
  const auto hex = [&b](std::int32_t digits) {
    return b.Repeat(Ascii(b, {{'0', '9'}, {'a', 'f'}, {'A', 'F'}}), digits, digits);
  };
  const auto d = [&b] { return Ascii(b, {{'d', 'd'}, {'D', 'D'}}); };
  const ExprId unit = b.Choice(
      {b.Sequence({Ascii(b, {{'0', '9'}, {'a', 'c'}, {'A', 'C'}, {'e', 'f'}, {'E', 'F'}}), hex(3)}),
       b.Sequence({d(), Ascii(b, {{'0', '7'}}), hex(2)}),
       b.Sequence({d(), Ascii(b, {{'8', '9'}, {'a', 'b'}, {'A', 'B'}}), hex(2), b.Bytes("\\u"), d(),
                   Ascii(b, {{'c', 'f'}, {'C', 'F'}}), hex(2)})});
  const ExprId simple = Ascii(b, {{'"', '"'},
                                  {'\\', '\\'},
                                  {'/', '/'},
                                  {'b', 'b'},
                                  {'f', 'f'},
                                  {'n', 'n'},
                                  {'r', 'r'},
                                  {'t', 't'}});
  return b.Sequence({b.Bytes("\\", flags), b.Choice({simple, b.Sequence({b.Bytes("u"), unit})})});
}

ExprId String(GrammarBuilder& b, bool counted) {
  const std::uint8_t flags = counted ? Edge::kCount : 0;
  const CodePointSet plain =
      CodePointSet::All().Minus(CodePointSet({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}));
  const ExprId character = b.Choice({b.Class(plain, Spelling::kRaw, flags), Escape(b, flags)});
  return b.Sequence(
      {b.Bytes("\""), b.Repeat(character, 0), b.Bytes("\"", counted ? Edge::kAsksEnough : 0)});
}

ExprId RawText(GrammarBuilder& b, std::int32_t end_of_value, bool counted) {
  if (end_of_value < 0) return b.Nothing();
  const ExprId character = b.Class(CodePointSet::All(), Spelling::kRaw, counted ? Edge::kCount : 0);
  return b.Sequence(
      {b.Repeat(character, 0), b.Token(end_of_value, counted ? Edge::kAsksEnough : 0)});
}

ExprId AnyObject(GrammarBuilder& b) {
  const ExprId member = b.Sequence({b.Call(kRuleString), ColonExpr(b), b.Call(kRuleValue)});
  return ObjectExpr(b, b.Members({}, {}, CommaExpr(b), member));
}

ExprId AnyArray(GrammarBuilder& b) {
  const ExprId items = b.Members({}, {}, CommaExpr(b), b.Call(kRuleValue));
  return b.Sequence({b.Bytes("["), OptionalSpace(b), items, OptionalSpace(b), b.Bytes("]")});
}

}  // namespace

ExprId IntegerExpr(GrammarBuilder& b) {
  const ExprId positive = b.Sequence({Ascii(b, {{'1', '9'}}), Digits(b, 0, kMaxDigits - 1)});
  return b.Choice({b.Bytes("0"), b.Sequence({b.Optional(b.Bytes("-")), positive})});
}

ExprId PlainNumberExpr(GrammarBuilder& b) {
  const ExprId whole =
      b.Choice({b.Bytes("0"), b.Sequence({Ascii(b, {{'1', '9'}}), Digits(b, 0, kMaxDigits - 1)})});
  const ExprId fraction = b.Sequence({b.Bytes("."), Digits(b, 1, kMaxDigits)});
  return b.Sequence({b.Optional(b.Bytes("-")), whole, b.Optional(fraction)});
}

ExprId NumberExpr(GrammarBuilder& b) {
  // Up to 249, or with a zero in front.
  const ExprId power =
      b.Choice({Digits(b, 1, 2), b.Sequence({Ascii(b, {{'0', '1'}}), Digits(b, 2, 2)}),
                b.Sequence({b.Bytes("2"), Ascii(b, {{'0', '4'}}), Digits(b, 1, 1)})});
  const ExprId exponent = b.Sequence(
      {Ascii(b, {{'e', 'e'}, {'E', 'E'}}), b.Optional(Ascii(b, {{'+', '+'}, {'-', '-'}})), power});
  return b.Sequence({PlainNumberExpr(b), b.Optional(exponent)});
}

ExprId OptionalSpace(GrammarBuilder& b) { return b.Optional(b.Call(kRuleSpace)); }

ExprId ObjectExpr(GrammarBuilder& b, ExprId members) {
  return b.Sequence({b.Bytes("{"), OptionalSpace(b), members, OptionalSpace(b), b.Bytes("}")});
}

ExprId CommaExpr(GrammarBuilder& b, std::uint8_t flags) {
  return b.Sequence({b.Bytes(",", flags), OptionalSpace(b)});
}

ExprId ColonExpr(GrammarBuilder& b) { return b.Sequence({b.Bytes(":"), OptionalSpace(b)}); }

Prelude MakePrelude(std::int32_t end_of_value) {
  GrammarBuilder b;
  for (RuleId rule = 0; rule < kPreludeRules; ++rule) {
    GLINT_CHECK(b.NewRule() == rule, "rules have the ids of their names");
  }
  b.Define(kRuleSpace, Space(b));
  b.Define(kRuleString, String(b, false));
  b.Define(kRuleCountedString, String(b, true));
  b.Define(kRuleKey,
           b.Sequence({b.Bytes("\""), b.Repeat(b.Class(CodePointSet::All(), Spelling::kJson), 0),
                       b.Bytes("\"")}));
  b.Define(kRuleNumber, NumberExpr(b));
  b.Define(kRuleInteger, IntegerExpr(b));
  b.Define(kRuleValue, b.Choice({b.Call(kRuleString), NumberExpr(b), b.Bytes("true"),
                                 b.Bytes("false"), b.Bytes("null"), AnyObject(b), AnyArray(b)}));
  b.Define(kRuleObject, AnyObject(b));
  b.Define(kRuleRawText, RawText(b, end_of_value, false));
  b.Define(kRuleCountedRawText, RawText(b, end_of_value, true));
  WorkBudget budget(std::int64_t{100'000'000});
  AssemblyLimits limits;
  limits.form = RuleForm::kDeterministic;
  return {Assemble(nullptr, b, kRuleValue, limits, budget).value()};
}

}  // namespace glint::text
