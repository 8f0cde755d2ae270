// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa_vector.h"
#include "kernels/router/router_math.h"
#include "kernels/router/router_rows.h"

namespace glint::kernels::GLINT_ISA {
namespace {

// Keys of experts or groups, and which of them may still be chosen.
struct Candidates {
  float keys[kMaxRouterCpuExperts];
  bool is_open[kMaxRouterCpuExperts];
};

// The open candidate that comes first among [0, count), which is closed; there must be one.
int64_t Take(Candidates& candidates, int64_t count) {
  int64_t best = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (!candidates.is_open[i]) continue;
    if (best < 0 || IsRoutedBefore(candidates.keys[i], i, candidates.keys[best], best)) best = i;
  }
  candidates.is_open[best] = false;
  return best;
}

// Leaves only the experts of the best groups open.
void KeepBestGroups(const RouterRows& args, Candidates& experts) {
  const int64_t size = args.experts / args.group_count;
  Candidates groups = {};
  for (int64_t group = 0; group < args.group_count; ++group) {
    float first = -__builtin_inff();
    float second = first;
    for (int64_t i = group * size; i < (group + 1) * size; ++i) {
      const float key = experts.keys[i];
      second = key > first ? first : (key > second ? key : second);
      first = key > first ? key : first;
    }
    groups.keys[group] = first + second;
    groups.is_open[group] = true;
  }
  for (int64_t i = 0; i < args.group_top_k; ++i) Take(groups, args.group_count);
  for (int64_t i = 0; i < args.experts; ++i) experts.is_open[i] = !groups.is_open[i / size];
}

void RouteRow(const RouterRows& args, int64_t row) {
  Candidates experts;
  float scores[kMaxRouterCpuExperts];
  const float* logits = args.logits + row * args.stride;
  for (int64_t i = 0; i < args.experts; ++i) {
    scores[i] = RouterScore(logits[i]);
    experts.keys[i] = RouterKey(scores[i], args.bias == nullptr ? 0.0F : args.bias[i]);
    experts.is_open[i] = true;
  }
  if (args.group_count > 1) KeepBestGroups(args, experts);
  int32_t* ids = args.expert_ids + row * args.top_k;
  float* weights = args.expert_weights + row * args.top_k;
  float sum = 0;
  for (int64_t slot = 0; slot < args.top_k; ++slot) {
    ids[slot] = static_cast<int32_t>(Take(experts, args.experts));
    sum += scores[ids[slot]];
  }
  const float divisor = args.normalize ? sum + kRouterSumGuard : 1.0F;
  for (int64_t slot = 0; slot < args.top_k; ++slot) {
    weights[slot] = scores[ids[slot]] / divisor * args.scaling;
  }
}

void SkipRow(const RouterRows& args, int64_t row) {
  for (int64_t slot = row * args.top_k; slot < (row + 1) * args.top_k; ++slot) {
    args.expert_ids[slot] = -1;
    args.expert_weights[slot] = 0;
  }
}

}  // namespace

void RunRouterRows(const RouterRows* args) {
  for (int64_t row = 0; row < args->rows; ++row) {
    if (args->row_sequence != nullptr && args->row_sequence[row] < 0) {
      SkipRow(*args, row);
    } else {
      RouteRow(*args, row);
    }
  }
}

}  // namespace glint::kernels::GLINT_ISA
