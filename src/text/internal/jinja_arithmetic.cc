// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_arithmetic.h"

#include <cmath>

#include "base/format.h"
#include "text/internal/jinja_format_text.h"

namespace glint::text::jinja {
namespace {

Error TooLarge() { return InvalidArgument("an integer result does not fit in 64 bits"); }

Error Unsupported(std::string_view sign, const Value& a, const Value& b) {
  return InvalidArgument(
      format("unsupported operand types for {}: '{}' and '{}'", sign, a.TypeName(), b.TypeName()));
}

// Quotient and remainder towards minus infinity; b is not 0.
Result<Value> IntegerDivision(std::int64_t a, std::int64_t b, bool remainder) {
  if (b == -1) {  // a / -1 may overflow
    if (remainder) return Value(std::int64_t{0});
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &negated)) return TooLarge();
    return Value(negated);
  }
  const bool adjust = a % b != 0 && (a < 0) != (b < 0);
  if (remainder) return Value(a % b + (adjust ? b : 0));
  return Value(a / b - (adjust ? 1 : 0));
}

Result<Value> IntegerPower(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return TooLarge();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return TooLarge();
  }
  return Value(result);
}

double FloorRemainder(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// As CPython: from the remainder, then corrected to the nearest whole number.
double FloorQuotient(double a, double b) {
  const double quotient = (a - FloorRemainder(a, b)) / b;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

Result<Value> RealPower(double a, double b) {
  if (a == 0 && b < 0) return InvalidArgument("0.0 cannot be raised to a negative power");
  if (a < 0 && std::trunc(b) != b && std::isfinite(b)) {
    return InvalidArgument("a negative number to a fractional power is complex");
  }
  const double power = std::pow(a, b);
  if (std::isinf(power) && std::isfinite(a) && std::isfinite(b)) {
    return InvalidArgument("the result of ** is too large");
  }
  return Value(power);
}

Result<Value> OfReals(std::string_view sign, double a, double b) {
  if (sign == "+") return Value(a + b);
  if (sign == "-") return Value(a - b);
  if (sign == "*") return Value(a * b);
  if (sign == "**") return RealPower(a, b);
  if (b == 0) return InvalidArgument("division by zero");
  if (sign == "/") return Value(a / b);
  if (sign == "//") return Value(FloorQuotient(a, b));
  return Value(FloorRemainder(a, b));
}

Result<Value> OfIntegers(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (sign == "+")
    return __builtin_add_overflow(a, b, &result) ? Result<Value>(TooLarge()) : Value(result);
  if (sign == "-")
    return __builtin_sub_overflow(a, b, &result) ? Result<Value>(TooLarge()) : Value(result);
  if (sign == "*")
    return __builtin_mul_overflow(a, b, &result) ? Result<Value>(TooLarge()) : Value(result);
  if (sign == "**" && b >= 0) return IntegerPower(a, b);
  if (sign == "//" || sign == "%") {
    if (b == 0) return InvalidArgument("integer division or modulo by zero");
    return IntegerDivision(a, b, sign == "%");
  }
  return OfReals(sign, static_cast<double>(a), static_cast<double>(b));
}

// Text + text; where one of them is markup the other is escaped.
Value Join(Budget& budget, const Text& a, const Text& b) {
  if (a.markup == b.markup) return MakeString(&budget, a.text + b.text, a.markup);
  if (a.markup) return MakeString(&budget, a.text + EscapeHtml(b.text), true);
  return MakeString(&budget, EscapeHtml(a.text) + b.text, true);
}

Result<Value> Repeat(Budget& budget, const Value& value, std::int64_t count) {
  count = std::max<std::int64_t>(count, 0);
  if (const Text* text = value.text()) {
    std::string out;
    if (budget.HasRoom(count, static_cast<std::int64_t>(text->text.size()))) {
      out.reserve(text->text.size() * static_cast<std::size_t>(count));
      if (text->text.empty()) count = 0;
      for (std::int64_t i = 0; i < count; ++i) out += text->text;
    }
    return MakeString(&budget, std::move(out), text->markup);
  }
  const Sequence& sequence = *value.sequence();
  std::vector<Value> items;
  const auto bytes = static_cast<std::int64_t>(sequence.items.size() * sizeof(Value));
  if (bytes > 0 && budget.HasRoom(count, bytes)) {
    items.reserve(sequence.items.size() * static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      items.insert(items.end(), sequence.items.begin(), sequence.items.end());
    }
  }
  return MakeSequence(&budget, sequence.flavor, std::move(items));
}

bool CanRepeat(const Value& value) {
  return value.text() != nullptr || value.IsFlavor(Flavor::kList) || value.IsFlavor(Flavor::kTuple);
}

Result<Value> OfObjects(Budget& budget, std::string_view sign, const Value& a, const Value& b) {
  if (sign == "+" && a.text() != nullptr && b.text() != nullptr) {
    return Join(budget, *a.text(), *b.text());
  }
  const Sequence* x = a.sequence();
  const Sequence* y = b.sequence();
  if (sign == "+" && x != nullptr && y != nullptr && x->flavor == y->flavor && CanRepeat(a)) {
    std::vector<Value> items;
    items.reserve(x->items.size() + y->items.size());
    items.insert(items.end(), x->items.begin(), x->items.end());
    items.insert(items.end(), y->items.begin(), y->items.end());
    return MakeSequence(&budget, x->flavor, std::move(items));
  }
  if (sign == "*" && CanRepeat(a) && b.AsInteger()) return Repeat(budget, a, *b.AsInteger());
  if (sign == "*" && CanRepeat(b) && a.AsInteger()) return Repeat(budget, b, *a.AsInteger());
  if (sign == "%" && a.text() != nullptr) {
    GLINT_ASSIGN(std::string text, FormatPercent(budget, a.text()->text, b));
    return MakeString(&budget, std::move(text), a.text()->markup);
  }
  return Unsupported(sign, a, b);
}

}  // namespace

Error UndefinedError(const Undefined& undefined) {
  if (undefined.owner != nullptr) {
    return InvalidArgument(
        format("'{} object' has no attribute '{}'", undefined.owner, undefined.name));
  }
  if (undefined.name.empty()) return InvalidArgument("a value is undefined");
  return InvalidArgument(format("'{}' is undefined", undefined.name));
}

Status RequireDefined(const Value& value) {
  if (value.undefined() != nullptr) return UndefinedError(*value.undefined());
  return Ok();
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '"':
        out += "&#34;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Result<Value> Arithmetic(Budget& budget, std::string_view sign, const Value& a, const Value& b) {
  budget.Spend(1);
  const bool formats = sign == "%" && a.text() != nullptr;
  if (!formats) {
    GLINT_TRY(RequireDefined(a));
    GLINT_TRY(RequireDefined(b));
  }
  const auto x = a.AsInteger();
  const auto y = b.AsInteger();
  if (x && y) return OfIntegers(sign, *x, *y);
  const auto p = a.AsReal();
  const auto q = b.AsReal();
  if (p && q) return OfReals(sign, *p, *q);
  if ((a.big_integer() != nullptr || b.big_integer() != nullptr) && a.text() == nullptr) {
    return InvalidArgument("arithmetic on integers beyond 64 bits is not supported");
  }
  return OfObjects(budget, sign, a, b);
}

Result<Value> Negative(const Value& value) {
  GLINT_TRY(RequireDefined(value));
  if (const auto integer = value.AsInteger()) {
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, *integer, &negated)) return TooLarge();
    return Value(negated);
  }
  if (const double* real = value.real()) return Value(-*real);
  return InvalidArgument(format("bad operand type for unary -: '{}'", value.TypeName()));
}

Result<Value> Positive(const Value& value) {
  GLINT_TRY(RequireDefined(value));
  if (const auto integer = value.AsInteger()) return Value(*integer);
  if (value.real() != nullptr || value.big_integer() != nullptr) return value;
  return InvalidArgument(format("bad operand type for unary +: '{}'", value.TypeName()));
}

}  // namespace glint::text::jinja
