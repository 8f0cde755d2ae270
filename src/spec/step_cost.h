// SPDX-License-Identifier: Apache-2.0
// How long a step must take: bytes over bandwidth or FLOPs over peak, whichever is longer, plus a
// fixed overhead. The one formula for engine, planner, simulator and benchmarks.
//
// Source: the roofline model, Williams et al., CACM 52(4), 2009. The number of distinct experts
// that a step touches assumes that tokens choose experts evenly and independently.
#pragma once

#include <cstdint>

#include "spec/machine_spec.h"
#include "spec/model_spec.h"
#include "spec/weight_plan.h"

namespace glint::spec {

// All >= 0.
struct StepWork {
  std::int64_t rows = 0;            // tokens in the forward pass
  std::int64_t sampled_rows = 0;    // of these, rows that need lm_head
  std::int64_t context_tokens = 0;  // sum over rows of the positions that a row may attend to
};

struct StepCostTerms {
  double weight_bytes = 0;
  double cache_bytes = 0;
  double flops = 0;
};

// Prepared once for a model and a format; each call is arithmetic on a few numbers.
class StepCostModel {
 public:
  StepCostModel(const ModelSpec& model, StorageFormat format);

  [[nodiscard]] StepCostTerms Terms(const StepWork& work) const;
  [[nodiscard]] double Seconds(const StepWork& work, const MachineSpec& machine) const;

  // Distinct routed experts of one layer that `rows` tokens touch: E (1 - (1 - k/E)^rows).
  [[nodiscard]] double ExpertsTouched(std::int64_t rows) const;

 private:
  double always_bytes_ = 0;     // read by every step: attention, dense and shared MLPs, routers
  double head_bytes_ = 0;       // lm_head, when a row is sampled
  double expert_bytes_ = 0;     // one expert of every MoE layer
  double row_parameters_ = 0;   // multiplied for each row, without lm_head
  double head_parameters_ = 0;  // multiplied for each sampled row
  double cache_bytes_per_token_ = 0;
  double attention_flops_per_token_ = 0;  // for each position that a row attends to
  double experts_ = 0;
  double top_k_ = 0;
  double positions_limit_ = 0;  // a row attends to no more positions than this (DSA); 0: no limit
};

}  // namespace glint::spec
