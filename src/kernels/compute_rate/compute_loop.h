// SPDX-License-Identifier: Apache-2.0
// The loops of compute_rate, one for each instruction set.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace glint::kernels {

struct ComputeLoop {
  std::int64_t rounds = 0;
  std::int64_t* operations = nullptr;  // one: how many a round makes; written
};

GLINT_ISA_ENTRY(RunF32Loop, ComputeLoop)
GLINT_ISA_ENTRY(RunInt8Loop, ComputeLoop)
GLINT_AMX_ENTRY(RunF32Loop, ComputeLoop)
GLINT_AMX_ENTRY(RunInt8Loop, ComputeLoop)

}  // namespace glint::kernels
