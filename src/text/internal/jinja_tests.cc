// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_tests.h"

#include <array>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

template <bool (*kHolds)(const Value&)>
Result<Value> Is(Call& call) {
  return Value(kHolds(call.input));
}

bool IsDefined(const Value& value) { return value.undefined() == nullptr; }
bool IsUndefined(const Value& value) { return value.undefined() != nullptr; }
bool IsNone(const Value& value) { return value.is_none(); }
bool IsTrueValue(const Value& value) { return value.boolean() != nullptr && *value.boolean(); }
bool IsFalseValue(const Value& value) { return value.boolean() != nullptr && !*value.boolean(); }
bool IsBoolean(const Value& value) { return value.boolean() != nullptr; }
bool IsInteger(const Value& value) {
  return value.integer() != nullptr || value.big_integer() != nullptr;
}
bool IsFloat(const Value& value) { return value.real() != nullptr; }
bool IsNumber(const Value& value) { return value.AsReal() || value.big_integer() != nullptr; }
bool IsString(const Value& value) { return value.string() != nullptr; }
bool IsMapping(const Value& value) { return value.dict() != nullptr; }
bool IsEscaped(const Value& value) { return value.text() != nullptr && value.text()->markup; }
bool IsCallable(const Value& value) {
  return value.macro() != nullptr || value.builtin() != nullptr || value.method() != nullptr;
}
// What has a length and takes an index; Python counts dicts and strings in.
bool IsSequence(const Value& value) {
  const Sequence* sequence = value.sequence();
  return value.string() != nullptr || value.dict() != nullptr || value.undefined() != nullptr ||
         (sequence != nullptr && sequence->flavor <= Flavor::kRange);
}

template <TextClass kClass>
Result<Value> HasCase(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  return Value(IsOfClass(text, kClass));
}

// value % divisor == wanted
Result<Value> RemainderIs(Call& call, const Value& divisor, std::int64_t wanted) {
  GLINT_ASSIGN(const Value rest, Arithmetic(call.budget, "%", call.input, divisor));
  return Value(Equal(call.budget, rest, Value(wanted)));
}

Result<Value> Equals(Call& call) { return Value(Equal(call.budget, call.input, call.bound[0])); }
Result<Value> Differs(Call& call) { return Value(!Equal(call.budget, call.input, call.bound[0])); }

template <Order kOrder>
Result<Value> Compares(Call& call) {
  GLINT_TRY(RequireDefined(call.input));
  GLINT_TRY(RequireDefined(call.bound[0]));
  GLINT_ASSIGN(const bool holds, Ordered(call.budget, kOrder, call.input, call.bound[0]));
  return Value(holds);
}

Result<Value> In(Call& call) {
  GLINT_ASSIGN(const bool found, Contains(call.budget, call.bound[0], call.input));
  return Value(found);
}

Result<Value> SameAs(Call& call) {
  const Value& other = call.bound[0];
  if (call.input.identity() != nullptr || other.identity() != nullptr) {
    return Value(call.input.identity() == other.identity());
  }
  const bool same_type = std::string_view(call.input.TypeName()) == other.TypeName();
  return Value(same_type && EqualScalars(call.input, other));
}

template <const Operation* (*kFind)(std::string_view)>
Result<Value> IsName(Call& call) {
  const std::string* name = call.input.string();
  return Value(name != nullptr && kFind(*name) != nullptr);
}

constexpr std::array<Operation, 39> kTests = {{
    {"defined", "", Is<IsDefined>},
    {"undefined", "", Is<IsUndefined>},
    {"none", "", Is<IsNone>},
    {"true", "", Is<IsTrueValue>},
    {"false", "", Is<IsFalseValue>},
    {"boolean", "", Is<IsBoolean>},
    {"integer", "", Is<IsInteger>},
    {"float", "", Is<IsFloat>},
    {"number", "", Is<IsNumber>},
    {"string", "", Is<IsString>},
    {"mapping", "", Is<IsMapping>},
    {"iterable", "", Is<IsIterable>},
    {"sequence", "", Is<IsSequence>},
    {"callable", "", Is<IsCallable>},
    {"escaped", "", Is<IsEscaped>},
    {"lower", "", HasCase<TextClass::kLower>},
    {"upper", "", HasCase<TextClass::kUpper>},
    {"odd", "", [](Call& call) { return RemainderIs(call, Value(std::int64_t{2}), 1); }},
    {"even", "", [](Call& call) { return RemainderIs(call, Value(std::int64_t{2}), 0); }},
    {"divisibleby", "num!", [](Call& call) { return RemainderIs(call, call.bound[0], 0); }},
    {"equalto", "/ other!", Equals},
    {"eq", "/ other!", Equals},
    {"==", "/ other!", Equals},
    {"ne", "/ other!", Differs},
    {"!=", "/ other!", Differs},
    {"lt", "/ other!", Compares<Order::kLess>},
    {"lessthan", "/ other!", Compares<Order::kLess>},
    {"<", "/ other!", Compares<Order::kLess>},
    {"le", "/ other!", Compares<Order::kLessEqual>},
    {"<=", "/ other!", Compares<Order::kLessEqual>},
    {"gt", "/ other!", Compares<Order::kGreater>},
    {"greaterthan", "/ other!", Compares<Order::kGreater>},
    {">", "/ other!", Compares<Order::kGreater>},
    {"ge", "/ other!", Compares<Order::kGreaterEqual>},
    {">=", "/ other!", Compares<Order::kGreaterEqual>},
    {"in", "seq!", In},
    {"sameas", "other!", SameAs},
    {"filter", "", IsName<FindFilter>},
    {"test", "", IsName<FindTest>},
}};

}  // namespace

const Operation* FindTest(std::string_view name) { return FindOperation(kTests, name); }

}  // namespace glint::text::jinja
