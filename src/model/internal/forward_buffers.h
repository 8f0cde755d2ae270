// SPDX-License-Identifier: Apache-2.0
// The activations of a forward pass: one allocation, made once, sized for the largest batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "device/device.h"
#include "kernels/activation.h"
#include "kernels/batch_tables.h"
#include "spec/model_spec.h"

namespace glint::model {

// The first `rows` rows of an activation.
inline kernels::Activation Rows(kernels::Activation activation, std::int64_t rows) {
  activation.rows = rows;
  return activation;
}

// Columns begin .. begin + count of an activation: same rows, same stride.
kernels::Activation Columns(kernels::Activation activation, std::int64_t begin, std::int64_t count);

// F32 throughout. What a model does not need has zero columns. [max_rows, ...] each.
class ForwardBuffers {
 public:
  struct Limits {
    std::int64_t rows = 0;
    std::int64_t logit_rows = 0;
  };
  static Result<std::unique_ptr<ForwardBuffers>> Create(const spec::ModelSpec& model,
                                                        const Limits& limits,
                                                        device::Device& device);

  kernels::Activation residual;       // [H] the stream
  kernels::Activation normed;         // [H] what a branch reads
  kernels::Activation branch;         // [H] what a branch gives
  kernels::Activation shared;         // [H] the shared expert's part
  kernels::Activation mtp_input;      // [2 H] embedding and hidden state, both normalised
  kernels::Activation mtp_embedding;  // [H]
  kernels::Activation mtp_hidden;     // [H]
  // Latent attention.
  kernels::Activation q_a;         // [q_lora]
  kernels::Activation q_residual;  // [q_lora] normalised; the indexer reads it too
  kernels::Activation q;           // [heads * (nope + rope)], or [heads * head_dim] (GQA)
  kernels::Activation kv_a;        // [kv_lora + rope]
  kernels::Activation q_latent;    // [heads * kv_lora]
  kernels::Activation attended;    // [heads * kv_lora]
  kernels::Activation values;      // [heads * v], or [heads * head_dim] (GQA)
  // Indexer.
  kernels::Activation index_q;        // [index heads * index head_dim]
  kernels::Activation index_k;        // [index head_dim]
  kernels::Activation index_weights;  // [index heads]
  kernels::SelectionView selection;   // [top_k]
  // Grouped-query attention.
  kernels::Activation k;  // [kv_heads * head_dim]
  kernels::Activation v;
  // MLP.
  kernels::Activation gate_up;         // [2 * widest MLP]
  kernels::Activation router_logits;   // [experts]
  std::int32_t* expert_ids = nullptr;  // [top_k]
  float* expert_weights = nullptr;     // [top_k]
  // Inputs of integer kernels, I8 in groups of 32.
  kernels::QuantizedActivation quantized;             // [widest input of a linear]: any other one
  kernels::QuantizedActivation quantized_normed;      // [H] as normed
  kernels::QuantizedActivation quantized_q_residual;  // [q_lora] as q_residual
  // Head.
  kernels::Activation head_input;  // [logit_rows, H]
  kernels::Activation logits;      // [logit_rows, V]
  void* scratch = nullptr;         // aligned to 64 bytes
  std::int64_t scratch_bytes = 0;

 private:
  std::unique_ptr<device::Memory> memory_;
};

}  // namespace glint::model
