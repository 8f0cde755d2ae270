// SPDX-License-Identifier: Apache-2.0
// A piece of router on the CPU: some rows.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace glint::kernels {

// Experts that a row's working memory, which is on the stack, has room for.
constexpr std::int64_t kMaxRouterCpuExperts = 1024;

// RouterArgs of router.h with addresses of the first row; `stride` in elements.
struct RouterRows {
  const float* logits = nullptr;
  std::int64_t stride = 0;
  const float* bias = nullptr;                 // null: none
  const std::int32_t* row_sequence = nullptr;  // null: no row is padding
  std::int64_t experts = 0;                    // <= kMaxRouterCpuExperts
  std::int64_t top_k = 0;
  std::int64_t group_count = 0;
  std::int64_t group_top_k = 0;
  bool normalize = false;
  float scaling = 0;
  std::int32_t* expert_ids = nullptr;
  float* expert_weights = nullptr;
  std::int64_t rows = 0;
};

GLINT_ISA_ENTRY(RunRouterRows, RouterRows)

}  // namespace glint::kernels
