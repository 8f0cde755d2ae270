// SPDX-License-Identifier: Apache-2.0
#include "eval/choose_operations.h"

#include "base/format.h"
#include "kernels/isa.h"
#include "kernels/operations_cpu.h"

namespace glint::eval {

Result<const kernels::OperationTable*> ChooseOperations(std::string_view isa) {
  if (isa == "reference") return &kernels::ReferenceOperations();
  if (isa == "auto") return &kernels::CpuOperations(kernels::DetectIsa());
  const auto known = kernels::ParseIsa(isa);
  if (!known) {
    return InvalidArgument(
        format("--isa is {}, must be auto, amx, avx512, avx2, baseline or reference", Quoted(isa)));
  }
  if (!kernels::IsaRuns(*known)) {
    return InvalidArgument(format("--isa {}: this machine cannot run it", isa));
  }
  return &kernels::CpuOperations(*known);
}

}  // namespace glint::eval
