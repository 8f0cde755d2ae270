// SPDX-License-Identifier: Apache-2.0
// The parts that the argument checks of all operations have in common. Each fails with
// kInvalidArgument and a sentence that names operation, argument and value, such as
// "linear: x is [3, 5], must be [3, 4]".
//
// Host code for start-up and tests: addresses and shapes are compared, no content is read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "kernels/activation.h"
#include "tensor/weight_view.h"

namespace glint::kernels {

// The operation and the argument that a message is about.
struct ArgumentName {
  std::string_view operation;
  std::string_view argument;
};

// The view is there, F32 or BF16, exactly [rows, columns] with a stride of at least columns. Rows
// may be 0, columns may not.
Status CheckActivation(ArgumentName name, const Activation& view, std::int64_t rows,
                       std::int64_t columns);

// The view is there with its scales, I8 or E4M3, exactly [rows, columns] in groups that divide it.
Status CheckQuantized(ArgumentName name, const QuantizedActivation& view, std::int64_t rows,
                      std::int64_t columns);

// Exactly one of the two is there, and it is [rows of it, columns].
Status CheckInput(std::string_view operation, const Activation& x,
                  const QuantizedActivation& quantized_x, std::int64_t columns);

// The matrix is there, exactly [rows, columns], its data and scales in the dtypes and sizes that
// tensor/weight_view.h gives for its format.
Status CheckWeight(ArgumentName name, const tensor::WeightView& weight, std::int64_t rows,
                   std::int64_t columns);

// The same without the addresses: for what many matrices have in common.
Status CheckWeightForm(ArgumentName name, const tensor::WeightView& weight, std::int64_t rows,
                       std::int64_t columns);

// Columns that share a scale of the weight and the group of quantized_x, one is a multiple of the
// other, so that a sum can run over stretches with one scale on either side. True without
// quantized_x, and for formats with one scale a row or none.
Status CheckGroupsFit(ArgumentName name, const tensor::WeightView& weight,
                      const QuantizedActivation& quantized_x);

// A plain F32, BF16 or F16 vector of `rows` elements.
Status CheckVector(ArgumentName name, const tensor::WeightView& vector, std::int64_t rows);

Status CheckPointer(ArgumentName name, const void* pointer);
Status CheckPositive(ArgumentName name, std::int64_t value);

// Memory of one argument: `rows` runs of `row_bytes`, `stride_bytes` apart. data null: none.
struct MemoryBlock {
  std::string_view argument;
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t stride_bytes = 0;
};
MemoryBlock BlockOf(std::string_view argument, const Activation& view);
MemoryBlock ValuesOf(std::string_view argument, const QuantizedActivation& view);
MemoryBlock ScalesOf(std::string_view argument, const QuantizedActivation& view);
MemoryBlock BlockOf(std::string_view argument, const void* data, std::int64_t bytes);

// True when a byte belongs to both. Runs of equal stride may interleave, as the two halves of
// gate_up do; of different strides the whole ranges count.
bool ShareMemory(const MemoryBlock& a, const MemoryBlock& b);

// No written block shares memory with another written or any read block.
Status CheckDisjoint(std::string_view operation, std::span<const MemoryBlock> written,
                     std::span<const MemoryBlock> read);

}  // namespace glint::kernels
