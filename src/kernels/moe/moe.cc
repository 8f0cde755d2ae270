// SPDX-License-Identifier: Apache-2.0
#include "kernels/moe/moe.h"

#include <array>

#include "base/format.h"
#include "kernels/argument_checks.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightView;

constexpr std::string_view kOperation = "moe";

Status CheckForm(const MoeArgs& args, std::int64_t hidden, std::int64_t intermediate) {
  GLINT_TRY(CheckWeightForm({kOperation, "form.gate"}, args.form.gate, intermediate, hidden));
  GLINT_TRY(CheckWeightForm({kOperation, "form.up"}, args.form.up, intermediate, hidden));
  GLINT_TRY(CheckWeightForm({kOperation, "form.down"}, args.form.down, hidden, intermediate));
  GLINT_TRY(CheckGroupsFit({kOperation, "form.gate"}, args.form.gate, args.quantized_x));
  return CheckGroupsFit({kOperation, "form.up"}, args.form.up, args.quantized_x);
}

// The intermediate as a quantised activation whose addresses are never followed.
Status CheckIntermediate(const MoeArgs& args, std::int64_t intermediate) {
  const DType dtype = args.intermediate_dtype;
  if (dtype == DType::kF32 || dtype == DType::kBF16) return Ok();
  if (dtype != DType::kI8 && dtype != DType::kF8E4M3) {
    return InvalidArgument(format("moe: intermediate_dtype is {}, must be F32, BF16, I8 or F8_E4M3",
                                  tensor::DTypeName(dtype)));
  }
  if (args.intermediate_group <= 0 || intermediate % args.intermediate_group != 0) {
    return InvalidArgument(format("moe: intermediate_group is {}, must divide {} columns",
                                  args.intermediate_group, intermediate));
  }
  QuantizedActivation stands_for;
  stands_for.quantized = args.out.data;  // not null: there is one
  stands_for.group = args.intermediate_group;
  return CheckGroupsFit({kOperation, "form.down"}, args.form.down, stands_for);
}

Status CheckRouting(const MoeArgs& args) {
  GLINT_TRY(CheckPointer({kOperation, "experts"}, args.experts));
  GLINT_TRY(CheckPositive({kOperation, "expert_count"}, args.expert_count));
  GLINT_TRY(CheckPointer({kOperation, "expert_ids"}, args.expert_ids));
  GLINT_TRY(CheckPointer({kOperation, "expert_weights"}, args.expert_weights));
  GLINT_TRY(CheckPositive({kOperation, "top_k"}, args.top_k));
  if (args.scratch_bytes < 0) {
    return InvalidArgument(format("moe: scratch_bytes is {}, must be >= 0", args.scratch_bytes));
  }
  return args.scratch_bytes == 0 ? Ok() : CheckPointer({kOperation, "scratch"}, args.scratch);
}

bool IsSameView(const Activation& a, const Activation& b) {
  return a.data == b.data && a.dtype == b.dtype && a.stride == b.stride;
}

Status CheckMemory(const MoeArgs& args) {
  const std::int64_t slot_bytes = args.out.rows * args.top_k * 4;
  const std::int64_t table_bytes =
      args.expert_count * static_cast<std::int64_t>(sizeof(ExpertView));
  const std::array written = {BlockOf("out", args.out),
                              BlockOf("scratch", args.scratch, args.scratch_bytes)};
  const std::array read = {
      BlockOf("x", args.x),
      ValuesOf("quantized_x", args.quantized_x),
      ScalesOf("quantized_x.scales", args.quantized_x),
      BlockOf("experts", args.experts, table_bytes),
      BlockOf("expert_ids", args.expert_ids, slot_bytes),
      BlockOf("expert_weights", args.expert_weights, slot_bytes),
      IsSameView(args.out, args.addend) ? MemoryBlock{} : BlockOf("addend", args.addend)};
  GLINT_TRY(CheckDisjoint(kOperation, written, read));
  const std::array addend = {BlockOf("addend", args.addend)};
  return CheckDisjoint(kOperation, std::span(written).last(1), addend);
}

Status CheckSame(std::string_view name, const WeightView& form, const WeightView& weight) {
  if (weight.format != form.format || weight.data.dtype != form.data.dtype ||
      weight.scales.dtype != form.scales.dtype || weight.group != form.group ||
      weight.layout != form.layout) {
    return InvalidArgument(
        format("moe: {} is {} of {} with {} scales and group {}, must be {} of "
               "{} with {} scales and group {}",
               name, WeightFormatName(weight.format), DTypeName(weight.data.dtype),
               DTypeName(weight.scales.dtype), weight.group, WeightFormatName(form.format),
               DTypeName(form.data.dtype), DTypeName(form.scales.dtype), form.group));
  }
  return CheckWeight({kOperation, name}, weight, form.rows, form.columns);
}

}  // namespace

Status CheckMoeArgs(const MoeArgs& args) {
  const std::int64_t hidden = args.out.columns;
  const std::int64_t intermediate = args.form.gate.rows;
  GLINT_TRY(CheckInput(kOperation, args.x, args.quantized_x, hidden));
  const std::int64_t rows = args.x.data != nullptr ? args.x.rows : args.quantized_x.rows;
  GLINT_TRY(CheckActivation({kOperation, "out"}, args.out, rows, hidden));
  GLINT_TRY(CheckForm(args, hidden, intermediate));
  GLINT_TRY(CheckIntermediate(args, intermediate));
  GLINT_TRY(CheckRouting(args));
  if (args.addend.data != nullptr) {
    GLINT_TRY(CheckActivation({kOperation, "addend"}, args.addend, rows, hidden));
  }
  return CheckMemory(args);
}

Status CheckExpert(const ExpertView& form, const ExpertView& expert) {
  GLINT_TRY(CheckSame("gate", form.gate, expert.gate));
  GLINT_TRY(CheckSame("up", form.up, expert.up));
  return CheckSame("down", form.down, expert.down);
}

}  // namespace glint::kernels
