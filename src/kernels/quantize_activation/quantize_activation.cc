// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize_activation/quantize_activation.h"

#include <array>

#include "kernels/argument_checks.h"

namespace glint::kernels {

Status CheckQuantizeActivationArgs(const QuantizeActivationArgs& args) {
  constexpr std::string_view kOperation = "quantize_activation";
  GLINT_TRY(CheckActivation({kOperation, "x"}, args.x, args.x.rows, args.x.columns));
  GLINT_TRY(CheckQuantized({kOperation, "out"}, args.out, args.x.rows, args.x.columns));
  const std::array written = {ValuesOf("out", args.out), ScalesOf("out.scales", args.out)};
  const std::array read = {BlockOf("x", args.x)};
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
