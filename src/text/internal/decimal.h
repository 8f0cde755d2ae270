// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as JSON writes them, exact; and the text of those on one side of a bound.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/internal/grammar_builder.h"

namespace glint::text {

struct Decimal {
  bool negative = false;  // zero never is
  std::string whole;      // digits without leading zeros; empty: 0
  std::string fraction;   // digits without trailing zeros
  [[nodiscard]] bool is_zero() const { return whole.empty() && fraction.empty(); }
  bool operator==(const Decimal&) const = default;
};

// Of a JSON number. Nothing when its exponent is beyond +-400.
std::optional<Decimal> ParseDecimal(std::string_view text);

// Without exponent: "-0.5", "120".
std::string PlainText(const Decimal& number);

std::strong_ordering Compare(const Decimal& a, const Decimal& b);

enum class BoundSide : std::uint8_t { kAtLeast, kAtMost };

// Numbers without exponent that are on that side of `bound`; if `strict`, the bound itself is not.
// `digits` is for numbers; with `whole_only` they have no fraction. Text is not limited in length.
// The bound must have at most kMaxDigits digits on each side.
ExprId BoundedNumber(GrammarBuilder& builder, const Decimal& bound, BoundSide side, bool strict,
                     bool whole_only);

}  // namespace glint::text
