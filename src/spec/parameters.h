// SPDX-License-Identifier: Apache-2.0
// The tensors that a checkpoint of a model holds, by their Hugging Face names and shapes, and what
// follows from them alone: parameter counts. One list serves counting, byte plans, loading and the
// account of a checkpoint, so they cannot disagree.
//
// Source: glm-architecture.md sections 2.13, 3.2 and 3.3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/model_spec.h"

namespace glint::spec {

// What a tensor is for, which decides how it may be quantised and how it counts.
enum class TensorRole : std::uint8_t {
  kEmbedding,
  kLmHead,
  kNorm,            // vectors: RMS and layer norm weights and biases
  kBias,            // of q, k and v
  kAttention,       // attention projections
  kIndexer,         // wq_b and wk
  kIndexerWeights,  // weights_proj: one number a head, kept at 16 bits
  kDenseMlp,
  kExpert,  // routed
  kSharedExpert,
  kRouter,         // mlp.gate
  kRouterBias,     // e_score_correction_bias: F32 always
  kMtpProjection,  // eh_proj
};

// One tensor, or one for each routed expert: then `copies` is the number of experts and `name`
// holds one * in place of the expert's number.
struct TensorGroup {
  std::string name;          // "model.layers.3.mlp.experts.*.gate_proj.weight"
  std::int64_t rows = 0;     // out; a vector has columns 0
  std::int64_t columns = 0;  // in
  std::int64_t copies = 1;
  TensorRole role = TensorRole::kNorm;
  std::int64_t layer = -1;  // -1: outside the layers
  bool mtp = false;         // part of the MTP layer
  bool active = true;       // read in full for each token (an embedding is not: one row is)
  bool optional = false;    // MTP's own embedding and head: used if there, else the trunk's serve

  [[nodiscard]] bool is_vector() const { return columns == 0; }
  [[nodiscard]] std::int64_t ElementsEach() const { return is_vector() ? rows : rows * columns; }
  [[nodiscard]] std::int64_t Elements() const { return ElementsEach() * copies; }
  // The name of copy `index`; `name` itself when there is only one.
  [[nodiscard]] std::string NameOf(std::int64_t index) const;
};

// Every tensor of the model, in the order of the forward pass. MTP's tensors are included when the
// model has that layer; lm_head is not when embeddings are tied.
std::vector<TensorGroup> ListTensors(const ModelSpec& model);

struct ParameterCounts {
  std::int64_t total = 0;   // with MTP, and with its copies of embedding and head where it has them
  std::int64_t trunk = 0;   // without MTP
  std::int64_t active = 0;  // read for one token: with lm_head, without embedding and MTP
  std::int64_t tensors = 0;
};
ParameterCounts CountParameters(const ModelSpec& model);

// A quick upper estimate in floating point, safe on descriptions that are not checked yet.
double EstimateParameters(const ModelSpec& model);

}  // namespace glint::spec
