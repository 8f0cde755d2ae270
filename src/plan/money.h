// SPDX-License-Identifier: Apache-2.0
// Amounts of money as text, in USD or in a currency at a rate that the caller gives.
#pragma once

#include <string>

#include "base/result.h"

namespace glint::plan {

class Money {
 public:
  // USD.
  Money() = default;
  // `code` is three capital letters, `per_usd` units of it are one USD (above 0 to 1e9). USD is 1.
  static Result<Money> Create(const std::string& code, double per_usd);

  // "$0.0667", "$128", "CNY 0.4737": two decimals from 1 on, four below; thousands separated.
  [[nodiscard]] std::string Text(double usd) const;
  // The amount in the currency.
  [[nodiscard]] double Convert(double usd) const { return usd * per_usd_; }
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] double per_usd() const { return per_usd_; }
  [[nodiscard]] bool is_usd() const { return code_ == "USD"; }

 private:
  std::string code_ = "USD";
  double per_usd_ = 1;
};

// An amount of a named currency as Money::Text writes it.
std::string AmountText(const std::string& code, double amount);

}  // namespace glint::plan
