// SPDX-License-Identifier: Apache-2.0
// Filters of numbers and of any value: default, int, float, round, abs, length, tojson.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

Result<Value> Default(Call& call) {
  const bool replaces =
      call.input.undefined() != nullptr || (call.Flag(1, false) && !call.input.IsTrue());
  if (!replaces) return call.input;
  return call.Has(0) ? call.bound[0] : MakeString(&call.budget, "");
}

Result<Value> LengthFilter(Call& call) {
  GLINT_ASSIGN(const std::int64_t length, Length(call.input));
  return Value(length);
}

// Digits of Python's int() and float(): spaces around them, underscores between them. False when
// an underscore is elsewhere.
bool CleanNumber(std::string_view text, std::string& clean) {
  text = Strip(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      clean += text[i];
      continue;
    }
    const auto is_alnum = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
    };
    if (i == 0 || !is_alnum(i - 1) || !is_alnum(i + 1)) return false;
  }
  if (clean.starts_with('+')) {
    clean.erase(0, 1);
    if (clean.starts_with('-') || clean.starts_with('+')) return false;
  }
  return !clean.empty();
}

// int(text, base), or Missing where Python raises a ValueError.
Value ParseInteger(Budget& budget, std::string_view text, int base) {
  std::string clean;
  if (!CleanNumber(text, clean)) return {};
  const bool negative = clean.starts_with('-');
  std::string digits = clean.substr(negative ? 1 : 0);
  const char mark = digits.size() > 2 && digits[0] == '0' ? static_cast<char>(digits[1] | 0x20) : 0;
  const int marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (marked != 0 && (base == 0 || base == marked)) {
    base = marked;
    digits.erase(0, 2);
  }
  if (base == 0) base = 10;
  clean = format("{}{}", negative ? "-" : "", digits);
  std::int64_t value = 0;
  const auto [stop, failure] =
      std::from_chars(clean.data(), clean.data() + clean.size(), value, base);
  if (stop != clean.data() + clean.size() || failure == std::errc::invalid_argument) return {};
  if (failure == std::errc()) return Value(value);
  if (base != 10) return {};
  digits.erase(0, digits.find_first_not_of('0'));
  clean = format("{}{}", negative ? "-" : "", digits);
  return Value(BigInteger{std::make_shared<const Text>(&budget, clean, false)});
}

std::optional<double> ParseReal(std::string_view text) {
  std::string clean;
  if (!CleanNumber(text, clean)) return std::nullopt;
  // from_chars also takes nan(...), which Python does not, and reports what is too large or small.
  if (clean.find('(') != std::string::npos) return std::nullopt;
  double value = 0;
  const auto [stop, failure] = std::from_chars(clean.data(), clean.data() + clean.size(), value);
  if (stop != clean.data() + clean.size() || failure == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (failure == std::errc::result_out_of_range) return std::strtod(clean.c_str(), nullptr);
  return value;
}

// int(real), or Missing for what is not finite.
Value Truncated(Budget& budget, double real) {
  if (!std::isfinite(real)) return {};
  if (std::fabs(real) < 9.2e18) return Value(static_cast<std::int64_t>(real));
  return Value(BigInteger{std::make_shared<const Text>(&budget, format("{:.0f}", real), false)});
}

Result<Value> ToInt(Call& call) {
  GLINT_TRY(RequireDefined(call.input));
  const Value fallback = call.Has(0) ? call.bound[0] : Value(std::int64_t{0});
  if (const std::string* text = call.input.string()) {
    GLINT_ASSIGN(const std::int64_t base, call.Integer(1, 10));
    if (base != 0 && (base < 2 || base > 36)) return fallback;
    Value parsed = ParseInteger(call.budget, *text, static_cast<int>(base));
    if (parsed.is_missing()) {
      const std::optional<double> real = ParseReal(*text);
      if (real) parsed = Truncated(call.budget, *real);
    }
    return parsed.is_missing() ? fallback : parsed;
  }
  if (const auto integer = call.input.AsInteger()) return Value(*integer);
  if (call.input.big_integer() != nullptr) return call.input;
  const double* real = call.input.real();
  Value whole = real == nullptr ? Value() : Truncated(call.budget, *real);
  return whole.is_missing() ? fallback : whole;
}

Result<Value> ToFloat(Call& call) {
  GLINT_TRY(RequireDefined(call.input));
  std::optional<double> value = call.input.AsReal();
  if (call.input.string() != nullptr) value = ParseReal(*call.input.string());
  if (call.input.big_integer() != nullptr) {
    value = ParseReal(call.input.big_integer()->digits->text);
  }
  if (value) return Value(*value);
  return call.Has(0) ? call.bound[0] : Value(0.0);
}

Result<Value> Abs(Call& call) {
  if (const auto integer = call.input.AsInteger()) {
    return *integer < 0 ? Negative(Value(*integer)) : Value(*integer);
  }
  if (const double* real = call.input.real()) return Value(std::fabs(*real));
  GLINT_TRY(RequireDefined(call.input));
  return InvalidArgument(format("bad operand type for abs(): '{}'", call.input.TypeName()));
}

Result<Value> Round(Call& call) {
  GLINT_ASSIGN(const std::int64_t precision, call.Integer(0, 0));
  GLINT_ASSIGN(const std::string_view method, call.String(1, "common"));
  if (method != "common" && method != "ceil" && method != "floor") {
    return InvalidArgument("method must be common, ceil or floor");
  }
  GLINT_TRY(RequireDefined(call.input));
  const std::optional<double> value = call.input.AsReal();
  if (!value) {
    return InvalidArgument(format("'{}' object cannot be rounded", call.input.TypeName()));
  }
  if (precision < 0 || precision > 300) {
    return InvalidArgument(format("round to {} places is not supported", precision));
  }
  if (method == "common") {
    if (const auto integer = call.input.AsInteger()) return Value(*integer);
    // Printed digits are rounded half to even from the exact value, as Python's round() is.
    if (!std::isfinite(*value)) return Value(*value);
    return Value(std::strtod(format("{:.{}f}", *value, precision).c_str(), nullptr));
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = *value * scale;
  return Value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Status ReadSeparators(const Value& separators, JsonStyle& style) {
  const Sequence* pair = separators.sequence();
  if (pair == nullptr || pair->items.size() != 2 || pair->items[0].string() == nullptr ||
      pair->items[1].string() == nullptr) {
    return InvalidArgument("separators must be two strings");
  }
  style.item_separator = *pair->items[0].string();
  style.key_separator = *pair->items[1].string();
  return Ok();
}

// transformers' tojson: json.dumps(x, ensure_ascii, indent, separators, sort_keys), not jinja2's.
Result<Value> ToJson(Call& call) {
  JsonStyle style;
  style.ensure_ascii = call.Flag(0, false);
  if (call.Has(1) && !call.bound[1].is_none()) {
    if (const std::string* text = call.bound[1].string()) {
      style.indent = *text;
    } else {
      GLINT_ASSIGN(const std::int64_t width, call.Integer(1, 0));
      if (call.budget.HasRoom(width)) {
        style.indent = std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
      }
    }
    style.item_separator = ',';
  }
  if (call.Has(2) && !call.bound[2].is_none()) GLINT_TRY(ReadSeparators(call.bound[2], style));
  style.sort_keys = call.Flag(3, false);
  GLINT_ASSIGN(std::string text, DumpJson(call.budget, call.input, style));
  return MakeString(&call.budget, std::move(text));
}

constexpr std::array<Operation, 9> kFilters = {{
    {"default", "default_value boolean", Default},
    {"d", "default_value boolean", Default},
    {"length", "", LengthFilter},
    {"count", "", LengthFilter},
    {"int", "default base", ToInt},
    {"float", "default", ToFloat},
    {"abs", "", Abs},
    {"round", "precision method", Round},
    {"tojson", "ensure_ascii indent separators sort_keys", ToJson},
}};

}  // namespace

std::span<const Operation> ValueFilters() { return kFilters; }

}  // namespace glint::text::jinja
