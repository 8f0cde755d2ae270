// SPDX-License-Identifier: Apache-2.0
#include "text/grammar.h"

#include <algorithm>

#include "base/check.h"

namespace glint::text {
namespace {

class AllowAll : public GrammarMatcher {
 public:
  explicit AllowAll(std::int64_t vocabulary) : vocabulary_(vocabulary) {
    GLINT_CHECK(vocabulary > 0, "a vocabulary");
  }

  void FillMasks(std::span<const std::int32_t> draft, std::span<std::uint32_t> masks) override {
    const auto words = static_cast<std::size_t>((vocabulary_ + 31) / 32);
    GLINT_CHECK(masks.size() == (draft.size() + 1) * words, "one mask for each position");
    std::fill(masks.begin(), masks.end(), ~std::uint32_t{0});
    // Bits beyond the vocabulary stay clear, so that no caller can sample them.
    const auto spare = static_cast<std::uint32_t>(vocabulary_ % 32);
    if (spare == 0) return;
    for (std::size_t last = words - 1; last < masks.size(); last += words) {
      masks[last] = (std::uint32_t{1} << spare) - 1;
    }
  }

  [[nodiscard]] bool Accept(std::int32_t token) override {
    if (token < 0 || token >= vocabulary_) return false;
    ++accepted_;
    return true;
  }

  void Rollback(std::int64_t count) override {
    GLINT_CHECK(count >= 0 && count <= accepted_, "tokens to take back");
    accepted_ -= count;
  }

  [[nodiscard]] bool CanEnd() const override { return true; }

 private:
  std::int64_t vocabulary_;
  std::int64_t accepted_ = 0;
};

}  // namespace

std::unique_ptr<GrammarMatcher> MakeAllowAll(std::int64_t vocabulary) {
  return std::make_unique<AllowAll>(vocabulary);
}

}  // namespace glint::text
