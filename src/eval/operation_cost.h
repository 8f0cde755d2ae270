// SPDX-License-Identifier: Apache-2.0
// What an operation must read and compute, whatever device runs it: the numbers that its time is
// compared with.
#pragma once

#include <string>

#include "kernels/operations.h"

namespace glint::eval {

struct OperationCost {
  std::string name;     // with shape and format where the operation has a weight
  double bytes = 0;     // weights and cached tokens, each once; activations are not counted
  double f32_ops = 0;   // a multiply-add is two
  double int8_ops = 0;  // of integer weights and inputs
};

// Ids and positions are read, so the operations before must have run. An operation without weights
// and cached tokens costs nothing here.
OperationCost CostOf(const kernels::EmbeddingArgs& args);
OperationCost CostOf(const kernels::AddNormArgs& args);
OperationCost CostOf(const kernels::QuantizeActivationArgs& args);
OperationCost CostOf(const kernels::LinearArgs& args);
OperationCost CostOf(const kernels::SiluMulArgs& args);
OperationCost CostOf(const kernels::MlaCacheArgs& args);
OperationCost CostOf(const kernels::MlaAbsorbQueryArgs& args);
OperationCost CostOf(const kernels::MlaAttentionArgs& args);
OperationCost CostOf(const kernels::MlaExpandValueArgs& args);
OperationCost CostOf(const kernels::IndexerCacheArgs& args);
OperationCost CostOf(const kernels::IndexerTopkArgs& args);
OperationCost CostOf(const kernels::GqaCacheArgs& args);
OperationCost CostOf(const kernels::GqaAttentionArgs& args);
OperationCost CostOf(const kernels::RouterArgs& args);
OperationCost CostOf(const kernels::MoeArgs& args);
OperationCost CostOf(const kernels::SampleArgs& args);
OperationCost CostOf(const kernels::VerifyDraftArgs& args);

}  // namespace glint::eval
