// SPDX-License-Identifier: Apache-2.0
#include "kernels/linear/linear.h"

#include <array>

#include "kernels/argument_checks.h"

namespace glint::kernels {

Status CheckLinearArgs(const LinearArgs& args) {
  constexpr std::string_view kOperation = "linear";
  const tensor::WeightView& weight = args.weight;
  GLINT_TRY(CheckWeight({kOperation, "weight"}, weight, weight.rows, weight.columns));
  GLINT_TRY(CheckInput(kOperation, args.x, args.quantized_x, weight.columns));
  GLINT_TRY(CheckGroupsFit({kOperation, "weight"}, weight, args.quantized_x));
  if (args.bias.data.data != nullptr) {
    GLINT_TRY(CheckVector({kOperation, "bias"}, args.bias, weight.rows));
  }
  const std::int64_t rows = args.x.data != nullptr ? args.x.rows : args.quantized_x.rows;
  GLINT_TRY(CheckActivation({kOperation, "out"}, args.out, rows, weight.rows));
  const std::array written = {BlockOf("out", args.out)};
  const std::array read = {BlockOf("x", args.x), ValuesOf("quantized_x", args.quantized_x),
                           ScalesOf("quantized_x.scales", args.quantized_x),
                           BlockOf("weight", weight.data.data, weight.data.ByteCount())};
  return CheckDisjoint(kOperation, written, read);
}

}  // namespace glint::kernels
