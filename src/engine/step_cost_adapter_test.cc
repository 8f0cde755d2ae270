// SPDX-License-Identifier: Apache-2.0
#include "engine/step_cost_adapter.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::engine {
namespace {

TEST(SpecStepCost, IsTheFormulaOfSpecInNanoseconds) {
  const auto model = spec::ParseBuiltin("bench-dense").value();
  const spec::StepCostModel formula(model, spec::StorageFormat::kBf16);
  const spec::MachineSpec machine{.name = "test", .read_bytes_per_s = 20e9, .flops_per_s = 1e11};
  const SpecStepCost cost(formula, machine);
  const auto estimate = cost.Estimate({.rows = 2, .sampled_rows = 1, .context_tokens = 100});
  EXPECT_NEAR(static_cast<double>(estimate.count()),
              1e9 * formula.Seconds({.rows = 2, .sampled_rows = 1, .context_tokens = 100}, machine),
              1);
  EXPECT_EQ(cost.Estimate({}).count(), 0);
}

}  // namespace
}  // namespace glint::engine
