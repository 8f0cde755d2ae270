// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_renderer.h"
#include "text/internal/jinja_subscript.h"

namespace glint::text::jinja {

Result<Value> Renderer::Evaluate(const Expression& expression, Frame& frame) {
  const Descent descent(*this);
  budget_.Spend(1);
  if (depth_ > limits_.depth) {
    return At(expression.line, InvalidArgument(format("the template calls itself deeper than {} "
                                                      "levels",
                                                      limits_.depth)));
  }
  Result<Value> value = budget_.ok() ? DispatchExpression(expression, frame) : Value(Undefined{});
  if (!value.ok()) return At(expression.line, value.error());
  if (const Status within = budget_.Check(); !within.ok()) {
    return At(expression.line, within.error());
  }
  return value;
}

Result<Value> Renderer::DispatchExpression(const Expression& expression, Frame& frame) {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
      return expression.constant;
    case ExpressionKind::kName:
    case ExpressionKind::kAttributeOf:
      return EvaluateName(expression, frame);
    case ExpressionKind::kList:
    case ExpressionKind::kTuple:
      return EvaluateItems(expression, frame);
    case ExpressionKind::kDict:
      return EvaluateDict(expression, frame);
    case ExpressionKind::kAttribute: {
      GLINT_ASSIGN(const Value object, Evaluate(*expression.operands[0], frame));
      return GetAttribute(budget_, object, expression.name);
    }
    case ExpressionKind::kItem: {
      GLINT_ASSIGN(const Value object, Evaluate(*expression.operands[0], frame));
      GLINT_ASSIGN(const Value index, Evaluate(*expression.operands[1], frame));
      return GetItem(budget_, object, index);
    }
    case ExpressionKind::kSlice:
      return EvaluateSlice(expression, frame);
    case ExpressionKind::kCall:
      return EvaluateCall(expression, frame, nullptr);
    case ExpressionKind::kFilter:
      return EvaluateFilter(expression, frame, nullptr);
    case ExpressionKind::kTest:
      return EvaluateTest(expression, frame);
    case ExpressionKind::kConditional:
      return EvaluateConditional(expression, frame);
    case ExpressionKind::kConcat:
      return EvaluateConcat(expression, frame);
    case ExpressionKind::kCompare:
      return EvaluateCompare(expression, frame);
    default:
      return EvaluateLogic(expression, frame);
  }
}

Result<Value> Renderer::EvaluateName(const Expression& name, Frame& frame) {
  const Value& value = SlotOf(name.slot, frame);
  return value.is_missing() ? Value(Undefined{name.name, nullptr}) : value;
}

Result<Value> Renderer::EvaluateItems(const Expression& list, Frame& frame) {
  std::vector<Value> items;
  items.reserve(list.operands.size());
  for (const ExpressionPtr& operand : list.operands) {
    GLINT_ASSIGN(Value item, Evaluate(*operand, frame));
    items.push_back(std::move(item));
  }
  const Flavor flavor = list.kind == ExpressionKind::kList ? Flavor::kList : Flavor::kTuple;
  return MakeSequence(&budget_, flavor, std::move(items));
}

Result<Value> Renderer::EvaluateDict(const Expression& dict, Frame& frame) {
  DictBuilder members;
  for (std::size_t i = 0; i + 1 < dict.operands.size(); i += 2) {
    GLINT_ASSIGN(Value key, Evaluate(*dict.operands[i], frame));
    GLINT_ASSIGN(Value value, Evaluate(*dict.operands[i + 1], frame));
    GLINT_TRY(members.Set(std::move(key), std::move(value)));
  }
  return members.Build(&budget_);
}

Result<Value> Renderer::EvaluateSlice(const Expression& slice, Frame& frame) {
  std::array<Value, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (slice.operands[i] == nullptr) continue;
    GLINT_ASSIGN(parts[i], Evaluate(*slice.operands[i], frame));
  }
  return GetSlice(budget_, parts[0], parts[1], parts[2], parts[3]);
}

Result<Value> Renderer::EvaluateConditional(const Expression& choice, Frame& frame) {
  GLINT_ASSIGN(const Value condition, Evaluate(*choice.operands[0], frame));
  if (condition.IsTrue()) return Evaluate(*choice.operands[1], frame);
  if (choice.operands[2] == nullptr) return Value(Undefined{});
  return Evaluate(*choice.operands[2], frame);
}

// and, or, not, the signs and the binary operators.
Result<Value> Renderer::EvaluateLogic(const Expression& logic, Frame& frame) {
  GLINT_ASSIGN(Value left, Evaluate(*logic.operands[0], frame));
  switch (logic.kind) {
    case ExpressionKind::kAnd:
      return left.IsTrue() ? Evaluate(*logic.operands[1], frame) : std::move(left);
    case ExpressionKind::kOr:
      return left.IsTrue() ? std::move(left) : Evaluate(*logic.operands[1], frame);
    case ExpressionKind::kNot:
      return Value(!left.IsTrue());
    case ExpressionKind::kNegative:
      return Negative(left);
    case ExpressionKind::kPositive:
      return Positive(left);
    default: {
      GLINT_ASSIGN(const Value right, Evaluate(*logic.operands[1], frame));
      return Arithmetic(budget_, logic.name, left, right);
    }
  }
}

Result<Value> Renderer::EvaluateConcat(const Expression& concat, Frame& frame) {
  std::string out;
  for (const ExpressionPtr& operand : concat.operands) {
    GLINT_ASSIGN(const Value value, Evaluate(*operand, frame));
    GLINT_TRY(AppendStr(budget_, value, out));
    budget_.HasRoom(static_cast<std::int64_t>(out.size()));
  }
  return MakeString(&budget_, std::move(out));
}

Result<bool> Renderer::Compare(Comparison comparison, const Value& a, const Value& b) {
  switch (comparison) {
    case Comparison::kEqual:
      return Equal(budget_, a, b);
    case Comparison::kNotEqual:
      return !Equal(budget_, a, b);
    case Comparison::kIn:
      return Contains(budget_, b, a);
    case Comparison::kNotIn: {
      GLINT_ASSIGN(const bool found, Contains(budget_, b, a));
      return !found;
    }
    default:
      break;
  }
  GLINT_TRY(RequireDefined(a));
  GLINT_TRY(RequireDefined(b));
  constexpr auto kFirst = static_cast<int>(Comparison::kLess);
  return Ordered(budget_, static_cast<Order>(static_cast<int>(comparison) - kFirst), a, b);
}

// a < b < c is a < b and b < c, where b is evaluated once.
Result<Value> Renderer::EvaluateCompare(const Expression& compare, Frame& frame) {
  GLINT_ASSIGN(Value left, Evaluate(*compare.operands[0], frame));
  for (std::size_t i = 0; i < compare.comparisons.size(); ++i) {
    GLINT_ASSIGN(Value right, Evaluate(*compare.operands[i + 1], frame));
    GLINT_ASSIGN(const bool holds, Compare(compare.comparisons[i], left, right));
    if (!holds) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Result<Value> Renderer::EvaluateFilter(const Expression& filter, Frame& frame,
                                       const Value* block_text) {
  Value input;
  if (filter.operands[0] == nullptr) {
    input = *block_text;
  } else if (filter.operands[0]->kind == ExpressionKind::kFilter) {
    GLINT_ASSIGN(input, EvaluateFilter(*filter.operands[0], frame, block_text));
  } else {
    GLINT_ASSIGN(input, Evaluate(*filter.operands[0], frame));
  }
  GLINT_ASSIGN(const Arguments arguments, EvaluateArguments(filter, frame));
  Result<Value> value = jinja::Run(*filter.operation, budget_, input, arguments);
  if (!value.ok()) return At(filter.line, value.error());
  return value;
}

Result<Value> Renderer::EvaluateTest(const Expression& test, Frame& frame) {
  GLINT_ASSIGN(const Value input, Evaluate(*test.operands[0], frame));
  GLINT_ASSIGN(const Arguments arguments, EvaluateArguments(test, frame));
  return jinja::Run(*test.operation, budget_, input, arguments);
}

}  // namespace glint::text::jinja
