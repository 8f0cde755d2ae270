// SPDX-License-Identifier: Apache-2.0
#include "kernels/add_norm/add_norm.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/format.h"
#include "kernels/argument_checks.h"

namespace glint::kernels {
namespace {

constexpr std::string_view kOperation = "add_norm";

Status CheckParts(const AddNormArgs& args) {
  if (args.part_count < 0 || args.part_count > kMaxAddNormParts) {
    return InvalidArgument(
        format("add_norm: part_count is {}, must be 0 to {}", args.part_count, kMaxAddNormParts));
  }
  for (std::int64_t i = 0; i < args.part_count; ++i) {
    GLINT_TRY(CheckActivation({kOperation, format("parts[{}]", i)}, AddNormPart(args, i),
                              args.residual.rows, args.residual.columns));
  }
  if (args.branch_norm_weight.data.data == nullptr) return Ok();
  if (args.part_count == 0) {
    return InvalidArgument("add_norm: branch_norm_weight is given, but part_count is 0");
  }
  return CheckVector({kOperation, "branch_norm_weight"}, args.branch_norm_weight,
                     args.residual.columns);
}

Status CheckOutputs(const AddNormArgs& args) {
  const std::int64_t rows = args.residual.rows;
  const std::int64_t columns = args.residual.columns;
  if (args.normed.data == nullptr && args.quantized.quantized == nullptr) {
    return InvalidArgument("add_norm: normed and quantized are both null");
  }
  if (args.normed.data != nullptr) {
    GLINT_TRY(CheckActivation({kOperation, "normed"}, args.normed, rows, columns));
  }
  if (args.quantized.quantized != nullptr) {
    GLINT_TRY(CheckQuantized({kOperation, "quantized"}, args.quantized, rows, columns));
  }
  return Ok();
}

}  // namespace

Activation AddNormPart(const AddNormArgs& args, std::int64_t index) {
  // Only read, but an activation is a view of more rights.
  return {const_cast<void*>(args.parts[index]), args.part_dtype, args.residual.rows,
          args.residual.columns, args.part_stride};
}

Status CheckAddNormArgs(const AddNormArgs& args) {
  const std::int64_t columns = args.residual.columns;
  GLINT_TRY(CheckActivation({kOperation, "residual"}, args.residual, args.residual.rows, columns));
  GLINT_TRY(CheckParts(args));
  GLINT_TRY(CheckVector({kOperation, "weight"}, args.weight, columns));
  if (!(args.eps > 0)) return InvalidArgument(format("add_norm: eps is {}, must be > 0", args.eps));
  GLINT_TRY(CheckOutputs(args));
  const std::array written = {BlockOf("residual", args.residual), BlockOf("normed", args.normed),
                              ValuesOf("quantized", args.quantized),
                              ScalesOf("quantized.scales", args.quantized)};
  std::vector<MemoryBlock> read;
  read.reserve(kMaxAddNormParts);
  for (std::int64_t i = 0; i < args.part_count; ++i) {
    read.push_back(BlockOf("parts", AddNormPart(args, i)));
  }
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
