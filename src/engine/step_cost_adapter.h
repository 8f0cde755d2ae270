// SPDX-License-Identifier: Apache-2.0
// The scheduler's StepCost, fitted to the steps of this engine on this machine: the terms are those
// of spec's formula (bytes of weights and caches, FLOPs, a constant), what each costs is measured.
//
// Least squares over the last steps of each size, each size by the inverse of its mean time, so
// that small steps count as much as large ones and noise does not pull an estimate below the mean.
// No cost is below zero: an estimate never falls when a step gets larger. Steps of every size are
// kept: an hour of decoding does not make it forget what a prompt costs.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sched/step_cost.h"
#include "spec/step_cost.h"

namespace glint::engine {

// Thread-compatible.
class FittedStepCost : public sched::StepCost {
 public:
  explicit FittedStepCost(spec::StepCostModel model) : model_(model) {}

  // A step of `counts` took `duration`. Not above 0: left out.
  void Observe(const sched::StepCounts& counts, std::chrono::nanoseconds duration);

  // 0 until a few steps were seen.
  [[nodiscard]] std::chrono::nanoseconds Estimate(const sched::StepCounts& counts) const override;

 private:
  static constexpr std::size_t kTerms = 4;
  static constexpr std::size_t kSizes = 24;  // steps of 2^i rows up to twice that
  static constexpr std::size_t kKept = 16;   // of each size
  static constexpr std::int64_t kEnough = 8;
  using Terms = std::array<double, kTerms>;
  struct Size {
    std::array<Terms, kKept> terms{};
    std::array<double, kKept> seconds{};
    std::int64_t seen = 0;
  };

  [[nodiscard]] Terms TermsOf(const sched::StepCounts& counts) const;
  void Fit();

  spec::StepCostModel model_;
  std::array<Size, kSizes> sizes_;
  std::int64_t seen_ = 0;
  Terms costs_{};  // of each term, in its unit
};

}  // namespace glint::engine
