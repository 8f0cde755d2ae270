// SPDX-License-Identifier: Apache-2.0
// The scheduler's StepCost from the formula in spec: the engine's copy of the small adapter.
#pragma once

#include <utility>

#include "sched/step_cost.h"
#include "spec/step_cost.h"

namespace glint::engine {

class SpecStepCost : public sched::StepCost {
 public:
  SpecStepCost(spec::StepCostModel model, spec::MachineSpec machine)
      : model_(model), machine_(std::move(machine)) {}

  [[nodiscard]] std::chrono::nanoseconds Estimate(const sched::StepCounts& counts) const override;

 private:
  spec::StepCostModel model_;
  spec::MachineSpec machine_;
};

}  // namespace glint::engine
