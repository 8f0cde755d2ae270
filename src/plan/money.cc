// SPDX-License-Identifier: Apache-2.0
#include "plan/money.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/format.h"

namespace glint::plan {

Result<Money> Money::Create(const std::string& code, double per_usd) {
  const bool letters = code.size() == 3 && std::all_of(code.begin(), code.end(),
                                                       [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!letters) {
    return InvalidArgument(format("currency is {}, must be a code such as CNY", Quoted(code)));
  }
  if (!std::isfinite(per_usd) || per_usd < 1e-9 || per_usd > 1e9) {
    return InvalidArgument(format("currency-per-usd is {}, must be above 0", per_usd));
  }
  if (code == "USD" && per_usd != 1) return InvalidArgument("a USD is 1 USD");
  Money money;
  money.code_ = code;
  money.per_usd_ = per_usd;
  return money;
}

std::string Money::Text(double usd) const { return AmountText(code_, Convert(usd)); }

std::string AmountText(const std::string& code, double amount) {
  const std::string unit = code == "USD" ? "$" : code + " ";
  const double size = std::abs(amount);
  if (size < 1) return format("{}{:.4f}", unit, amount);
  if (size >= 1e15) return format("{}{:.6e}", unit, amount);
  const std::string text = format("{:.2f}", amount);
  const std::size_t point = text.find('.');
  return unit + WithThousands(std::stoll(text.substr(0, point))) + text.substr(point);
}

}  // namespace glint::plan
