// SPDX-License-Identifier: Apache-2.0
#include "kernels/silu_mul/silu_mul.h"

#include <array>

#include "kernels/argument_checks.h"

namespace glint::kernels {
namespace {

bool IsSameView(const Activation& a, const Activation& b) {
  return a.data == b.data && a.dtype == b.dtype && a.stride == b.stride;
}

}  // namespace

Status CheckSiluMulArgs(const SiluMulArgs& args) {
  constexpr std::string_view kOperation = "silu_mul";
  const std::int64_t rows = args.gate.rows;
  const std::int64_t columns = args.gate.columns;
  GLINT_TRY(CheckActivation({kOperation, "gate"}, args.gate, rows, columns));
  GLINT_TRY(CheckActivation({kOperation, "up"}, args.up, rows, columns));
  if (args.out.data == nullptr && args.quantized.quantized == nullptr) {
    return InvalidArgument("silu_mul: out and quantized are both null");
  }
  if (args.out.data != nullptr) {
    GLINT_TRY(CheckActivation({kOperation, "out"}, args.out, rows, columns));
  }
  if (args.quantized.quantized != nullptr) {
    GLINT_TRY(CheckQuantized({kOperation, "quantized"}, args.quantized, rows, columns));
  }
  const MemoryBlock none;
  const std::array written = {BlockOf("out", args.out), ValuesOf("quantized", args.quantized),
                              ScalesOf("quantized.scales", args.quantized)};
  const std::array read = {IsSameView(args.out, args.gate) ? none : BlockOf("gate", args.gate),
                           IsSameView(args.out, args.up) ? none : BlockOf("up", args.up)};
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
