// SPDX-License-Identifier: Apache-2.0
// The tensor types of GGUF files by number: which of them we read, and the names of the others.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/dtype.h"
#include "tensor/weight_view.h"

namespace glint::tensor {

struct GgmlType {
  const char* name = nullptr;
  std::uint32_t id = 0;
  bool read = false;
  DType dtype = DType::kU8;  // of plain types; kU8 for blocks
  WeightFormat format = WeightFormat::kPlain;
};

// Null for a number that no type has. Source: ggml.h, enum ggml_type.
const GgmlType* FindGgmlType(std::uint32_t id);

// "F32, F16, ...": the types that are read, for messages.
std::string ReadGgmlTypes();

}  // namespace glint::tensor
