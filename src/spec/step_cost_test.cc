// SPDX-License-Identifier: Apache-2.0
#include "spec/step_cost.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

ModelSpec Builtin(std::string_view name) { return ParseBuiltin(name).value(); }

TEST(StepCost, OneRowReadsTheActiveWeights) {
  for (const std::string& name : BuiltinModelNames()) {
    const ModelSpec model = Builtin(name);
    const StepCostModel cost(model, StorageFormat::kW4A8);
    const StepCostTerms terms = cost.Terms({.rows = 1, .sampled_rows = 1});
    EXPECT_DOUBLE_EQ(terms.weight_bytes,
                     static_cast<double>(ActiveBytes(model, StorageFormat::kW4A8)))
        << name;
    EXPECT_DOUBLE_EQ(terms.flops, 2 * static_cast<double>(CountParameters(model).active)) << name;
  }
}

TEST(StepCost, ManyRowsTouchAllExpertsOnce) {
  const StepCostModel cost(Builtin("glm-5.2"), StorageFormat::kBf16);
  EXPECT_DOUBLE_EQ(cost.ExpertsTouched(1), 8);
  // design.md section 5: at batch 64 at least 210 of 256 experts are touched.
  EXPECT_GT(cost.ExpertsTouched(64), 210);
  EXPECT_LE(cost.ExpertsTouched(100000), 256);
}

TEST(StepCost, SparseAttentionBoundsWhatARowReads) {
  const StepCostModel sparse(Builtin("glm-5.2"), StorageFormat::kBf16);
  const auto at = [&](std::int64_t context) {
    return sparse.Terms({.rows = 1, .context_tokens = context}).cache_bytes;
  };
  EXPECT_LT(at(1024), at(2048));
  EXPECT_EQ(at(2048), at(100000));
}

TEST(StepCost, TheLongerOfMemoryAndArithmeticCounts) {
  const StepCostModel cost(Builtin("bench-dense"), StorageFormat::kBf16);
  const MachineSpec slow_memory{
      .name = "m", .read_bytes_per_s = 1e9, .flops_per_s = 1e15, .step_overhead_s = 0.5};
  const StepWork work{.rows = 1, .sampled_rows = 1};
  EXPECT_DOUBLE_EQ(cost.Seconds(work, slow_memory), cost.Terms(work).weight_bytes / 1e9 + 0.5);
  const MachineSpec slow_units{.name = "u", .read_bytes_per_s = 1e15, .flops_per_s = 1e9};
  EXPECT_DOUBLE_EQ(cost.Seconds(work, slow_units), cost.Terms(work).flops / 1e9);
  EXPECT_EQ(cost.Seconds({}, slow_memory), 0);
}

}  // namespace
}  // namespace glint::spec
