// SPDX-License-Identifier: Apache-2.0
#include "text/internal/decimal.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

namespace glint::text {
namespace {

constexpr int kMaxExponent = 400;

// Expressions of magnitudes, numbers without a sign.
class Magnitudes {
 public:
  Magnitudes(GrammarBuilder& builder, bool whole_only) : b_(builder), whole_only_(whole_only) {}

  ExprId Any() { return b_.Sequence({AnyWhole(), AnyFraction()}); }

  // Above `bound`, or at it if not `strict`.
  ExprId AtLeast(const Decimal& bound, bool strict) {
    return b_.Choice({b_.Sequence({WholeAbove(bound.whole), AnyFraction()}),
                      b_.Sequence({Same(bound.whole), FractionAtLeast(bound.fraction, strict)})});
  }

  ExprId AtMost(const Decimal& bound, bool strict) {
    return b_.Choice({b_.Sequence({WholeBelow(bound.whole), AnyFraction()}),
                      b_.Sequence({Same(bound.whole), FractionAtMost(bound.fraction, strict)})});
  }

 private:
  ExprId Digit(int low, int high) {
    if (low > high) return b_.Nothing();
    return b_.Class(CodePointSet({{static_cast<std::uint32_t>('0' + low),
                                   static_cast<std::uint32_t>('0' + high)}}),
                    Spelling::kRaw);
  }
  ExprId Digits(std::int32_t at_least, std::int32_t at_most) {
    return b_.Repeat(Digit(0, 9), at_least, at_most);
  }
  ExprId Same(const std::string& whole) { return b_.Bytes(whole.empty() ? "0" : whole); }

  ExprId AnyWhole() {
    return b_.Choice({b_.Bytes("0"), b_.Sequence({Digit(1, 9), Digits(0, -1)})});
  }

  ExprId AnyFraction() {
    if (whole_only_) return b_.Empty();
    return b_.Optional(b_.Sequence({b_.Bytes("."), Digits(1, -1)}));
  }

  ExprId WholeAbove(const std::string& whole) {
    const auto length = static_cast<std::int32_t>(whole.size());
    std::vector<ExprId> choices = {b_.Sequence({Digit(1, 9), Digits(length, -1)})};
    for (std::int32_t i = 0; i < length; ++i) {
      const int digit = whole[static_cast<std::size_t>(i)] - '0';
      choices.push_back(b_.Sequence({b_.Bytes(whole.substr(0, static_cast<std::size_t>(i))),
                                     Digit(digit + 1, 9), Digits(length - i - 1, length - i - 1)}));
    }
    return b_.Choice(std::move(choices));
  }

  ExprId WholeBelow(const std::string& whole) {
    const auto length = static_cast<std::int32_t>(whole.size());
    if (length == 0) return b_.Nothing();
    std::vector<ExprId> choices = {b_.Bytes("0")};
    if (length > 1) choices.push_back(b_.Sequence({Digit(1, 9), Digits(0, length - 2)}));
    for (std::int32_t i = 0; i < length; ++i) {
      const int digit = whole[static_cast<std::size_t>(i)] - '0';
      choices.push_back(
          b_.Sequence({b_.Bytes(whole.substr(0, static_cast<std::size_t>(i))),
                       Digit(i == 0 ? 1 : 0, digit - 1), Digits(length - i - 1, length - i - 1)}));
    }
    return b_.Choice(std::move(choices));
  }

  // At least one digit that is not zero, anywhere.
  ExprId NotZero() {
    return b_.Sequence({b_.Repeat(b_.Bytes("0"), 0), Digit(1, 9), Digits(0, -1)});
  }

  ExprId FractionAtLeast(const std::string& fraction, bool strict) {
    if (whole_only_) return fraction.empty() && !strict ? b_.Empty() : b_.Nothing();
    if (fraction.empty() && !strict) return AnyFraction();
    std::vector<ExprId> choices;
    choices.reserve(fraction.size() + 1);
    for (std::size_t i = 0; i < fraction.size(); ++i) {
      choices.push_back(b_.Sequence(
          {b_.Bytes(fraction.substr(0, i)), Digit(fraction[i] - '0' + 1, 9), Digits(0, -1)}));
    }
    choices.push_back(b_.Sequence({b_.Bytes(fraction), strict ? NotZero() : Digits(0, -1)}));
    return b_.Sequence({b_.Bytes("."), b_.Choice(std::move(choices))});
  }

  ExprId FractionAtMost(const std::string& fraction, bool strict) {
    const bool below = !fraction.empty();  // without a fraction it is below, else the same
    if (whole_only_) return below || !strict ? b_.Empty() : b_.Nothing();
    std::vector<ExprId> choices;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
      choices.push_back(b_.Sequence(
          {b_.Bytes(fraction.substr(0, i)), Digit(0, fraction[i] - '0' - 1), Digits(0, -1)}));
      if (i > 0) choices.push_back(b_.Bytes(fraction.substr(0, i)));
    }
    if (!strict) {
      choices.push_back(
          b_.Sequence({b_.Bytes(fraction), b_.Repeat(b_.Bytes("0"), fraction.empty() ? 1 : 0)}));
    }
    const ExprId with = b_.Sequence({b_.Bytes("."), b_.Choice(std::move(choices))});
    return below || !strict ? b_.Optional(with) : with;
  }

  GrammarBuilder& b_;
  bool whole_only_;
};

}  // namespace

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  int exponent = 0;
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [stop, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (failure != std::errc() || std::abs(exponent) > kMaxExponent) return std::nullopt;
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  if (point < text.size()) digits += text.substr(point + 1);
  // Where the point goes; digits are filled up with zeros to reach it.
  auto at = static_cast<std::int64_t>(point) + exponent;
  if (at < 0) {
    digits.insert(0, static_cast<std::size_t>(-at), '0');
    at = 0;
  }
  if (at > static_cast<std::int64_t>(digits.size()))
    digits.resize(static_cast<std::size_t>(at), '0');
  result.whole = digits.substr(0, static_cast<std::size_t>(at));
  result.fraction = digits.substr(static_cast<std::size_t>(at));
  result.whole.erase(0, std::min(result.whole.find_first_not_of('0'), result.whole.size()));
  result.fraction.resize(result.fraction.find_last_not_of('0') + 1);
  if (result.is_zero()) result.negative = false;
  return result;
}

std::string PlainText(const Decimal& number) {
  std::string text = number.negative ? "-" : "";
  text += number.whole.empty() ? "0" : number.whole;
  if (!number.fraction.empty()) text += "." + number.fraction;
  return text;
}

std::strong_ordering Compare(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative) {
    return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const Decimal& low = a.negative ? b : a;
  const Decimal& high = a.negative ? a : b;
  if (low.whole.size() != high.whole.size()) return low.whole.size() <=> high.whole.size();
  if (low.whole != high.whole) return low.whole <=> high.whole;
  return low.fraction <=> high.fraction;
}

ExprId BoundedNumber(GrammarBuilder& b, const Decimal& bound, BoundSide side, bool strict,
                     bool whole_only) {
  Magnitudes magnitudes(b, whole_only);
  const auto negative = [&b](ExprId magnitude) { return b.Sequence({b.Bytes("-"), magnitude}); };
  if (side == BoundSide::kAtLeast) {
    if (!bound.negative) return magnitudes.AtLeast(bound, strict);
    return b.Choice({magnitudes.Any(), negative(magnitudes.AtMost(bound, strict))});
  }
  if (bound.negative || (bound.is_zero() && strict)) {
    return negative(magnitudes.AtLeast(bound, strict));
  }
  return b.Choice({magnitudes.AtMost(bound, strict), negative(magnitudes.Any())});
}

}  // namespace glint::text
