// SPDX-License-Identifier: Apache-2.0
#include "kernels/router/router.h"

#include <array>

#include "base/format.h"
#include "kernels/argument_checks.h"

namespace glint::kernels {
namespace {

constexpr std::string_view kOperation = "router";

Status CheckCounts(const RouterArgs& args) {
  const std::int64_t experts = args.logits.columns;
  if (args.top_k <= 0 || args.top_k > experts) {
    return InvalidArgument(
        format("router: top_k is {}, must be 1 to {} experts", args.top_k, experts));
  }
  if (args.group_count == 1) return Ok();
  if (args.group_count <= 0 || experts % args.group_count != 0 || experts / args.group_count < 2) {
    return InvalidArgument(
        format("router: group_count is {}, must divide {} experts into groups of at least 2",
               args.group_count, experts));
  }
  if (args.group_top_k <= 0 || args.group_top_k > args.group_count) {
    return InvalidArgument(format("router: group_top_k is {}, must be 1 to {} groups",
                                  args.group_top_k, args.group_count));
  }
  if (args.group_top_k * (experts / args.group_count) < args.top_k) {
    return InvalidArgument(format("router: top_k is {}, more than the {} experts of {} groups",
                                  args.top_k, args.group_top_k * (experts / args.group_count),
                                  args.group_top_k));
  }
  return Ok();
}

}  // namespace

Status CheckRouterArgs(const RouterArgs& args) {
  const Activation& logits = args.logits;
  GLINT_TRY(CheckActivation({kOperation, "logits"}, logits, logits.rows, logits.columns));
  if (logits.dtype != tensor::DType::kF32) {
    return InvalidArgument(
        format("router: logits is {}, must be F32", tensor::DTypeName(logits.dtype)));
  }
  GLINT_TRY(CheckCounts(args));
  GLINT_TRY(CheckPointer({kOperation, "expert_ids"}, args.expert_ids));
  GLINT_TRY(CheckPointer({kOperation, "expert_weights"}, args.expert_weights));
  const std::int64_t slot_bytes = logits.rows * args.top_k * 4;
  const std::array written = {BlockOf("expert_ids", args.expert_ids, slot_bytes),
                              BlockOf("expert_weights", args.expert_weights, slot_bytes)};
  const std::array read = {BlockOf("logits", logits),
                           BlockOf("bias", args.bias, logits.columns * 4),
                           BlockOf("row_sequence", args.row_sequence, logits.rows * 4)};
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
