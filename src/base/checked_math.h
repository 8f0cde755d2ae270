// SPDX-License-Identifier: Apache-2.0
// Products and sums of numbers that come from a file, where overflow would turn a hostile header
// into a small allocation or a wrong offset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace glint {

inline std::optional<std::int64_t> CheckedAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::int64_t> CheckedMultiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Product of all factors; 1 for none; nullopt when a factor is negative or the product overflows.
inline std::optional<std::int64_t> CheckedProduct(std::span<const std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace glint
