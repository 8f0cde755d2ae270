// SPDX-License-Identifier: Apache-2.0
// A weight made anew from how it is stored: plain, or interleaved for the integer kernels
// (tensor/interleaved.h). Which becomes what is load_weights.cc.
#pragma once

#include <cstdint>
#include <string>

#include "model/checkpoint_weights.h"
#include "model/weight_store.h"
#include "spec/model_spec.h"

namespace glint::model {

// A matrix to be made in device memory: where, and how.
struct Conversion {
  tensor::WeightView from;
  tensor::WeightView to;  // in memory of its own, which ConvertRows writes
  WeightId unit;
  std::string name;  // the stored tensor's, for messages
  WeightSlot slot = WeightSlot::kEmbedding;
  const SplitKvB* split_kv_b = nullptr;  // what `from` is made of, where it is in two halves
  spec::MlaSpec mla;                     // for kKB and kVB, when `from` is the whole
};

// A plain matrix, or a vector where columns is 1, without data.
tensor::WeightView PlainView(std::int64_t rows, std::int64_t columns, tensor::DType dtype);

// The matrix in a block format, in rows, without data.
tensor::WeightView BlockRows(std::int64_t rows, std::int64_t columns, tensor::WeightFormat format);

// Makes the rows [begin, end) of `one.to`: multiples of eight, or the matrix's last row. False when
// a block has a scale that is not finite. On any thread; different rows at once are fine.
[[nodiscard]] bool ConvertRows(const Conversion& one, std::int64_t begin, std::int64_t end);

}  // namespace glint::model
