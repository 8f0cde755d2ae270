// SPDX-License-Identifier: Apache-2.0
// A machine as data: what bounds a step on it.
#pragma once

#include <cstdint>
#include <string>

namespace glint::spec {

struct MachineSpec {
  std::string name;
  double read_bytes_per_s = 0;  // from the memory that holds the weights; > 0
  double flops_per_s = 0;       // of the matrix products as they are run; > 0
  double step_overhead_s = 0;   // launches and host work that no byte or FLOP explains; >= 0
  std::int64_t memory_bytes = 0;
};

}  // namespace glint::spec
