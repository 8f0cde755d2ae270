// SPDX-License-Identifier: Apache-2.0
// moe: the experts' MLPs of the rows that the router sent to them, weighted and summed.
//
// Source: glm-architecture.md 2.8, 2.9. The experts' addresses are read from a table in device
// memory, which leases fill before the step (design.md section 3, "WeightStore").
#pragma once

#include <cstdint>

#include "base/result.h"
#include "kernels/activation.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// The three matrices of one expert.
struct ExpertView {
  tensor::WeightView gate;  // [I, H]
  tensor::WeightView up;    // [I, H]
  tensor::WeightView down;  // [H, I]
};

// Per row r and slot s with expert e = expert_ids[r, s]:
//   h      = silu(gate_e x) * up_e x                          F32, then to intermediate_dtype
//   out[r] = (sum over s of expert_weights[r, s] * (down_e h)) + addend[r]
// The weighted sum runs in F32 in slot order from 0, the addend (the shared expert) comes last,
// and the result is rounded once. The products are those of `linear`, with its accumulation and
// error; h is kept in F32, rounded once to BF16, or quantised in groups as quantize_activation
// does. The order of every sum depends on H, I, top_k, formats and dtypes, never on other rows.
//
// A slot with id -1 belongs to another rank or to a padding row and is skipped, its weight not
// read; a row of such slots gets the addend, or 0. Other ids must lie in [0, expert_count) and
// their entry must be filled: the model sees to that, no device checks it again (the reference
// does). Entries that no id names are not read and may be empty.
//
// `out` may be exactly the view `addend`; nothing else may alias. Scratch: as much as the
// implementation's own function says; its content means nothing before and after. Moves the
// matrices of each expert that is named once (per tile of rows), x per slot, addend and out once.
struct MoeArgs {
  Activation x;                         // [rows, H]; exactly one of x and quantized_x is given
  QuantizedActivation quantized_x;      // [rows, H]; its group and the weights': CheckGroupsFit
  const ExpertView* experts = nullptr;  // [expert_count] in device memory
  std::int64_t expert_count = 0;
  // What all entries of the table have in common, known to the host: formats, shapes, dtypes and
  // groups. Its addresses are not used and may be null.
  ExpertView form;
  const std::int32_t* expert_ids = nullptr;  // [rows, top_k] as router gives them
  const float* expert_weights = nullptr;     // [rows, top_k]
  std::int64_t top_k = 0;
  tensor::DType intermediate_dtype = tensor::DType::kF32;  // F32, BF16, I8 or F8_E4M3
  std::int64_t intermediate_group = 0;                     // I8 and F8_E4M3: divides I
  Activation addend;                                       // [rows, H]; data null: none
  Activation out;                                          // [rows, H]
  void* scratch = nullptr;
  std::int64_t scratch_bytes = 0;
};

// kInvalidArgument: a null pointer, no input or two, a shape, dtype, stride or group that does not
// fit, or shared memory. The table's entries are not read: CheckExpert is for them.
Status CheckMoeArgs(const MoeArgs& args);

// The same formats, shapes, dtypes and groups as `form`, and every address there. For whoever
// fills the table. kInvalidArgument otherwise.
Status CheckExpert(const ExpertView& form, const ExpertView& expert);

}  // namespace glint::kernels
